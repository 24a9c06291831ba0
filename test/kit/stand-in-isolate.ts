// An isolate of node:vm in a thread of its own: good enough to prove the contract's suite, no sandbox for strangers.
import { Worker } from 'node:worker_threads';
import { transform } from 'esbuild';
import type { Isolate, IsolateRun } from '../../control/ports/isolate.ts';

/** Only texts cross into the context: an object of the host's would lead back to it. */
const THREAD = `
const { runInNewContext } = require('node:vm');
const { parentPort, workerData } = require('node:worker_threads');
const inside = ([code, name, args]) => \`(() => {
  const line = error => {
    let text = 'something was thrown';
    try { text = String(error && error.message || error); } catch {}
    return text.split('\\\\n')[0];
  };
  const say = JSON.stringify;
  const given = JSON.parse(\${JSON.stringify(args)});
  const module = { exports: {} };
  let check;
  try {
    (0, eval)('(function (module, exports) {' + \${JSON.stringify(code)} + '\\\\n})')(module, module.exports);
    check = module.exports[\${JSON.stringify(name)}];
    if (typeof check !== 'function') throw new TypeError('it exports no such function');
  } catch (error) {
    return say({ ok: false, why: 'source', message: line(error) });
  }
  try {
    const value = check(...given);
    return say({ ok: true, value: value === undefined ? null : value });
  } catch (error) {
    return say({ ok: false, why: 'threw', message: line(error) });
  }
})()\`;
parentPort.postMessage(runInNewContext(inside(workerData), Object.create(null), { microtaskMode: 'afterEvaluate' }));
`;

export const standInIsolate: Isolate = {
  call: async (source, name, args, { ms, memoryBytes }) => {
    let code: string;
    try {
      ({ code } = await transform(source, { format: 'cjs', logLevel: 'silent' }));
    } catch (error) {
      return { ok: false, why: 'source', message: String((error as Error).message).split('\n')[0]! };
    }
    const thread = new Worker(THREAD, {
      eval: true,
      workerData: [code, name, JSON.stringify(args)],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memoryBytes / 1024 / 1024, maxYoungGenerationSizeMb: 8 },
    });
    const { promise, resolve } = Promise.withResolvers<IsolateRun>();
    const late = setTimeout(() => resolve({ ok: false, why: 'time', message: `over ${ms} ms` }), ms);
    thread.on('message', (text: string) => resolve(JSON.parse(text)));
    thread.on('error', (error: NodeJS.ErrnoException) => {
      const memory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      resolve({ ok: false, why: memory ? 'memory' : 'threw', message: error.message.split('\n')[0]! });
    });
    const run = await promise;
    clearTimeout(late);
    await thread.terminate();
    return run;
  },
};
