// The thread of isolate.ts: one run after the other, each in a context of its own. Only texts cross into it and out of it:
// an object of the host's would lead back to the host.
import { stripTypeScriptTypes } from 'node:module';
import { createContext, runInContext, SourceTextModule } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { parseJson } from '../../policy/json-text.ts';
import type { IsolateRun } from '../ports/isolate.ts';
import type { IsolateAsk } from './isolate.ts';
import { ISOLATE_RESULT_CHARS_MAX } from './limits.ts';

/** Loads before what is run, and keeps what it needs: what is run may change every name there is. */
const DRIVER = `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const text = String;
  return (call, args) => {
    const box = { __proto__: null, done: false, ok: false, said: '', stack: '' };
    const run = async () => {
      try {
        const value = await call(...parse(args));
        const said = stringify(value === undefined ? null : value);
        box.said = said === undefined ? 'null' : said;
        box.ok = true;
      } catch (error) {
        box.ok = false;
        box.said = 'something was thrown';
        try {
          box.said = text((error && error.message) || error);
          box.stack = text((error && error.stack) || '');
        } catch {}
      }
      box.done = true;
    };
    run();
    return box;
  };
})()`;

type Box = { readonly done: boolean; readonly ok: boolean; readonly said: string; readonly stack: string };

/** A module could reach the host by what it gets for an import that fails. */
const DYNAMIC_IMPORT = /\bimport\s*(?:\/\*[\s\S]*?\*\/\s*|\/\/[^\n]*\n\s*)*\(/;
const FILE = 'wrld-isolate';

parentPort!.on('message', (ask: IsolateAsk) => {
  void run(ask).then(said => {
    parentPort!.postMessage(said);
    // Reached when nothing of it runs on.
    setImmediate(() => parentPort!.postMessage('free'));
  });
});
parentPort!.postMessage('ready');

async function run([source, name, args]: IsolateAsk): Promise<IsolateRun> {
  const context = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
  let call: unknown;
  let driver: (call: unknown, args: string) => Box;
  try {
    const code = stripTypeScriptTypes(source);
    if (DYNAMIC_IMPORT.test(code)) throw new SyntaxError('it imports: nothing can be imported here');
    driver = runInContext(DRIVER, context) as typeof driver;
    const module = new SourceTextModule(code, { context, identifier: FILE });
    await module.link((specifier: string) => {
      throw new Error(`it imports ${specifier}: nothing can be imported here`);
    });
    await module.evaluate();
    call = (module.namespace as { readonly [name: string]: unknown })[name];
    if (typeof call !== 'function') throw new TypeError(`it exports no function ${name}`);
  } catch (error) {
    return { ok: false, why: 'source', message: faultText(error) };
  }
  const box = driver(call, args);
  await new Promise(resolve => setImmediate(resolve));
  const { done, ok, said, stack } = box;
  if (!done) return { ok: false, why: 'threw', message: 'it waits for what never comes' };
  if (!ok) return { ok: false, why: 'threw', message: withPlace(said, stack) };
  if (said.length > ISOLATE_RESULT_CHARS_MAX)
    return {
      ok: false,
      why: 'threw',
      message: `it returned more than ${ISOLATE_RESULT_CHARS_MAX} characters`,
    };
  const read = parseJson(said);
  return read.ok
    ? { ok: true, value: read.value }
    : { ok: false, why: 'threw', message: `it returned ${read.fault}` };
}

/** What was thrown may be anything, with getters of its own. */
function faultText(thrown: unknown): string {
  try {
    const { message = thrown, stack = '' } = Object(thrown) as { message?: unknown; stack?: unknown };
    return withPlace(String(message), String(stack));
  } catch {
    return 'something was thrown';
  }
}

/** One line, with where in the source it was. */
function withPlace(message: string, stack: string): string {
  const [line = ''] = message.split('\n');
  const [, at, column] = new RegExp(`${FILE}:(\\d+)(?::(\\d+))?`).exec(stack) ?? [];
  if (at === undefined) return line;
  return `${line} (line ${at}${column === undefined ? '' : `, column ${column}`})`;
}
