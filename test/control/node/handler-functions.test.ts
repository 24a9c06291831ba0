// Functions beside a handlers file, in a world that is up: what they answer, what goes wrong in them, and that an edit of
// them, or of the config that names them, is in force without a restart.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Log } from '../../../control/ports/log.ts';
import { configure, openWorldFolders, startQuietly } from '../../kit/control-world.ts';

const { world } = await openWorldFolders(t);
const CONFIG = (scenarioPath: string | null) => ({
  name: 'acme/chat',
  services: { openai: { twin: 'openai', ...(scenarioPath !== null && { colocate: { scenarioPath } }) } },
});
const HANDLERS = JSON.stringify({
  version: 1,
  handlers: [{ id: 'file', match: { lastUser: 'handled' }, reply: { text: 'by the file' } }],
});

/** A world whose log is heard: `told` resolves with the next line that fits. */
async function up(functions: string | null, config: object = CONFIG('openai.json')) {
  const folder = await world(config);
  await writeFile(join(folder, 'openai.json'), HANDLERS);
  if (functions !== null) await writeFile(join(folder, 'openai.ts'), functions);
  const waiting: { readonly like: RegExp; readonly resolve: (line: string) => void }[] = [];
  const hear = (_fields: object, line: string): void => {
    for (const { like, resolve } of waiting) if (like.test(line)) resolve(line);
  };
  const log: Log = { debug: hear, info: hear, warn: hear, error: hear };
  const control = await startQuietly(folder, {
    log: Object.assign(log, { flush: () => undefined }) as never,
  });
  const headers = { 'x-wrld-token': control.token, 'content-type': 'application/json' };
  return {
    folder,
    told: (like: RegExp) => new Promise<string>(resolve => waiting.push({ like, resolve })),
    say: async (content: string) => {
      const answer = await fetch(`${control.baseUrl}/acme/chat/openai/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
      });
      const body = (await answer.json()) as {
        choices?: [{ message: { content: string } }];
        error?: { code: string; message: string };
      };
      return { status: answer.status, text: body.choices?.[0].message.content, error: body.error };
    },
    entries: async (): Promise<number> => {
      const answer = await fetch(`${control.baseUrl}/-/acme/chat/log/openai`, { headers });
      return ((await answer.json()) as { entries: unknown[] }).entries.length;
    },
    [Symbol.asyncDispose]: () => control[Symbol.asyncDispose](),
  };
}

const FUNCTIONS = `
type Request = { readonly path: string; readonly said: { readonly lastUser: string } | null };
export function answer({ path, said }: Request) {
  switch (said?.lastUser) {
    case 'text': return 'as a text';
    case 'reply': return { text: path.toUpperCase() };
    case 'later': return Promise.resolve({ text: 'in time' });
    case 'throw': return said.lastUser.nothing.at.all;
    case 'loop': for (;;);
    case 'eat': { const all: string[] = []; for (;;) all.push('x'.repeat(1000) + all.length); }
    case 'nonsense': return { txt: 'x' };
    case 'number': return 7;
    case 'network': return fetch('https://example.com/');
    case 'import': return require('node:fs');
  }
}
`;

t.test(
  '[2.3] a function answers a call; what it says nothing to is the handlers’, then the twin’s',
  async t => {
    await using made = await up(FUNCTIONS);
    t.equal((await made.say('text')).text, 'as a text');
    t.equal((await made.say('reply')).text, '/V1/CHAT/COMPLETIONS');
    t.equal((await made.say('later')).text, 'in time');
    t.equal((await made.say('handled')).text, 'by the file');
    t.equal((await made.say('hello')).text, 'You said: hello');
    t.equal(await made.entries(), 5);
  },
);

t.test(
  '[2.3] what goes wrong in one is told with its place, nothing is stored, and the next call is answered',
  async t => {
    await using made = await up(FUNCTIONS);
    for (const [content, message] of [
      ['throw', /^openai\.ts threw: cannot read property 'at' of undefined \(line 8, column \d+\)$/],
      ['nonsense', /^openai\.ts returned what is no reply: \/txt: is not known here/],
      ['number', /^openai\.ts returned what is no reply: it: must be an object/],
      ['network', /^openai\.ts threw: '?fetch'? is not defined \(line 13, /],
      ['import', /^openai\.ts threw: '?require'? is not defined \(line 14, /],
      ['loop', /^openai\.ts did not come to its end: over 2000 ms/],
      ['eat', /^openai\.ts (took too much memory|did not come to its end)/],
    ] as const) {
      const { status, error } = await made.say(content);
      t.match({ status, ...error }, { status: 400, code: 'wrld_handler_failed', message }, content);
    }
    t.equal(await made.entries(), 0);
    t.equal((await made.say('text')).text, 'as a text');
  },
);

t.test(
  '[4.1] an edit is in force from the next call on; what is no module is told; gone, there are none',
  async t => {
    await using made = await up(null);
    const file = join(made.folder, 'openai.ts');
    t.equal((await made.say('hello')).text, 'You said: hello');
    let told = made.told(/^openai\.ts is in force/);
    await writeFile(file, 'export const answer = () => "one";');
    await told;
    t.equal((await made.say('hello')).text, 'one');
    told = made.told(/^openai\.ts is in force/);
    await writeFile(file, 'export const answr = () => {');
    await told;
    t.match((await made.say('hello')).error, { message: /^openai\.ts cannot be used: / });
    told = made.told(/^openai\.ts is gone/);
    await rm(file);
    await told;
    t.equal((await made.say('hello')).text, 'You said: hello');
  },
);

t.test(
  '[4.1] a handlers file that a running world’s config comes to name is in force, and so is none',
  async t => {
    await using made = await up(FUNCTIONS, CONFIG(null));
    t.equal((await made.say('handled')).text, 'You said: handled');
    t.equal((await made.say('text')).text, 'You said: text', 'nobody named them');
    let told = made.told(/openai\.json is the handlers file of openai/);
    await configure(made.folder, CONFIG('openai.json'));
    await told;
    t.equal((await made.say('handled')).text, 'by the file');
    t.equal((await made.say('text')).text, 'as a text');
    told = made.told(/openai has no handlers any more/);
    await configure(made.folder, CONFIG(null));
    await told;
    t.equal((await made.say('handled')).text, 'You said: handled');
  },
);
