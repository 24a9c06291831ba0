// Twins that somebody else wrote: what is wrong with one is said in words, and a world goes on whatever one does.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { openTwinWorld } from '../../../authoring/twin-test.ts';
import { openTwins } from '../../../control/node/twins.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
t.teardown(() => rm(folder, { recursive: true }));
const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** A module of one twin whose parts are as given, and the rest as they should be. */
function moduleOf(
  parts: { readonly manifest?: string; readonly twin?: string; readonly before?: string } = {},
): string {
  return `${parts.before ?? ''}
import { HANDLER_MATCHERS, jsonReply } from 'wrld/twin';
const manifest = {
  kind: 'wrld-twin', vendor: 'acme', version: '1.0.0', protocol: 'http', api: { sdks: [] }, models: [],
  coverage: { modelled: 1, generic: 0, catalog: 1 }, hosts: [{ host: 'api.acme.test', paths: ['/v1/'] }],
  generative: false, matchers: HANDLER_MATCHERS, root: false, screens: [],
  ${parts.manifest ?? ''}
};
export const twin = {
  manifest,
  records: { thing: { indexes: [] } },
  respond: () => jsonReply(200, {}),
  error: (status, code, message) => jsonReply(status, { acme: { code, message } }),
  ${parts.twin ?? ''}
};
`;
}

let made = 0;
async function save(text: string, end = 'mjs'): Promise<string> {
  const name = `twin-${made++}.${end}`;
  await writeFile(join(folder, name), text);
  return `./${name}`;
}

async function why(text: string, end?: string): Promise<string> {
  const opened = await openTwins(
    folder,
    [{ vendor: 'it', twin: await save(text, end), scenarioPath: null }],
    log,
  );
  if (opened.ok) opened.close();
  return opened.ok ? '' : opened.why.replace(/twin-\d+/, 'acme');
}

t.test('a twin in one file, in a folder where nothing is installed', async t => {
  t.equal(await why(moduleOf()), '');
  const typed = moduleOf({
    twin: 'models: (call: import("wrld/twin").Call): boolean => call.path === "/v1/x",',
  });
  t.equal(await why(typed, 'ts'), '', 'TypeScript');
});

t.test('[2.2] what is wrong is said all at once, each with its place and its fix', async t => {
  const table: [sentence: string, parts: Parameters<typeof moduleOf>[0], lines: readonly string[]][] = [
    [
      'a prefix',
      { manifest: `hosts: [{ host: 'api.acme.test', paths: ['v1'] }],` },
      ['twin.manifest.hosts[0].paths[0] is "v1"; a prefix begins and ends with /: "/v1/"'],
    ],
    [
      'a host with its scheme',
      { manifest: `hosts: [{ host: 'https://api.acme.test', paths: [] }],` },
      [
        'twin.manifest.hosts[0].host is "https://api.acme.test"; accepted: a host’s name as clients ask for it, without scheme or wildcard (api.acme.com)',
      ],
    ],
    [
      'a host twice',
      { manifest: `hosts: [{ host: 'a.test', paths: ['/', '/'] }],` },
      [
        'twin.manifest.hosts[0].paths[1] is a.test/ again, as twin.manifest.hosts[0].paths[0] is; leave one out',
      ],
    ],
    [
      'an unknown field',
      { manifest: `endpointEnvs: {},` },
      [
        /^twin\.manifest\.endpointEnvs is not known here \(did you mean endpointEnv\?\); known: kind, /
          .source,
      ],
    ],
    [
      'an unknown matcher',
      { manifest: `matchers: ['pathh'],` },
      ['twin.manifest.matchers[0] is no matcher: pathh (did you mean path?)'],
    ],
    [
      'a vendor’s name',
      { manifest: `vendor: 'Acme Mail',` },
      [
        'twin.manifest.vendor is "Acme Mail"; accepted: lower-case letters, digits and single hyphens (acme-mail)',
      ],
    ],
    [
      'a model that is none',
      { manifest: `generative: true,` },
      [
        'twin.manifest.generative says true, and the twin says false; write false, or give the twin `generative`',
      ],
    ],
    [
      'a variable’s name',
      { manifest: `endpointEnv: { 'acme url': '' },` },
      ['twin.manifest.endpointEnv.acme url is no variable’s name (ACME_BASE_URL)'],
    ],
    [
      'several',
      { manifest: `kind: 'twin', version: '', coverage: { modelled: -1, generic: 0 },` },
      [
        'twin.manifest.kind is "twin"; accepted: "wrld-twin"',
        'twin.manifest.version is ""; accepted: text that is not empty',
        'twin.manifest.coverage.modelled must be a whole number; it is -1',
        'twin.manifest.coverage.catalog must be a whole number; it is missing',
      ],
    ],
    [
      'an async respond',
      { twin: 'respond: async () => jsonReply(200, {}),' },
      ['twin.respond is async; a twin answers at once, inside its transaction. Take the async away'],
    ],
    ['no respond', { twin: 'respond: undefined,' }, ['twin.respond must be a function; it is missing']],
    [
      'a misspelt part',
      { twin: 'retriesAfter: () => 1,' },
      [/^twin\.retriesAfter is not known here \(did you mean retryAfter\?\)/.source],
    ],
    [
      'records without indexes',
      { twin: 'records: { thing: {} },' },
      ['twin.records.thing.indexes must be a list; it is missing'],
    ],
    [
      'an error that throws',
      { twin: `error: () => { throw new Error('oh'); },` },
      ["twin.error (500, 'twin_failed', 'A message.') threw Error: oh"],
    ],
    [
      'an error that is no reply',
      { twin: 'error: () => ({ status: 500 }),' },
      [
        "twin.error (500, 'twin_failed', 'A message.') answered no reply: its headers are no list of [name, value]",
      ],
    ],
  ];
  for (const [sentence, parts, lines] of table) {
    const [first, ...told] = (await why(moduleOf(parts))).split('\n');
    t.equal(first, 'services.it.twin: ./acme.mjs is no twin yet:');
    t.equal(told.length, lines.length, `${sentence}: ${told}`);
    for (const [index, line] of lines.entries()) {
      const said = told[index]!.trim();
      if (line.startsWith('^')) t.match(said, new RegExp(line), sentence);
      else t.equal(said, line, sentence);
    }
  }
});

t.test('a module that cannot be loaded, or exports something else', async t => {
  for (const [text, told] of [
    [
      'throw new Error("boom\\nat length");',
      /^services\.it\.twin: \.\/acme\.mjs cannot be loaded: Error: boom \(twin-\d+\.mjs:1\)$/,
    ],
    [
      'import "./nothing.mjs"; export const twin = {};',
      /cannot be loaded: Cannot find module .*nothing\.mjs/,
    ],
    ['export const twin = {;', /cannot be loaded: SyntaxError: Unexpected token/],
    ['throw "text";', /cannot be loaded: it threw text/],
    [
      'export default {}; export const Twin = 1;',
      /twin is not exported \(the module exports Twin, default\); write: export const twin = …/,
    ],
    ['export const twin = [];', /twin must be an object with manifest, .*; it is a list/],
    ['export const twin = null;', /twin must be an object with manifest, .*; it is null/],
  ] as const) {
    t.match(await why(text), told, text);
  }
  const opened = await openTwins(folder, [{ vendor: 'it', twin: './none.mjs', scenarioPath: null }], log);
  t.match(opened, { ok: false, why: /\.\/none\.mjs cannot be loaded: Cannot find module/ });
});

t.test('two twins of one host and path: neither is asked in the other’s place', async t => {
  const [one, two] = [await save(moduleOf()), await save(moduleOf())];
  const opened = await openTwins(
    folder,
    [
      { vendor: 'one', twin: one, scenarioPath: null },
      { vendor: 'two', twin: two, scenarioPath: null },
    ],
    log,
  );
  t.match(opened, {
    ok: false,
    why: 'services.two.twin answers api.acme.test/v1/, and so does services.one.twin; take one of them out, or give it other hosts or paths',
  });
});

const HAYWIRE = `
const ways = {
  '/v1/ok': () => jsonReply(200, { ok: true }),
  '/v1/throws': () => { throw new Error('secret of the caller'); },
  '/v1/nothing': () => undefined,
  '/v1/promise': () => Promise.reject(new Error('later')),
  '/v1/status': () => ({ status: 99, headers: [], body: null }),
  '/v1/interim': () => ({ status: 103, headers: [], body: null }),
  '/v1/header': () => ({ status: 200, headers: [['X-A', 'a\\r\\nSet-Cookie: x']], body: null }),
  '/v1/header-name': () => ({ status: 200, headers: [['X A', 'a']], body: null }),
  '/v1/body': () => ({ status: 200, headers: [], body: 5 }),
  '/v1/stray': () => { setTimeout(() => { throw new Error('stray'); }, 1); return jsonReply(200, {}); },
  '/v1/unhandled': () => { void Promise.reject(new Error('stray')); return jsonReply(200, {}); },
  '/v1/writes': (tx) => { tx.put('thing', 'a', {}); return undefined; },
  '/v1/due': (tx) => { tx.schedule('x', tx.now + 1000, {}); return jsonReply(200, {}); },
  '/v1/tells': (tx, body) => {
    tx.put('thing', 'told', {});
    tx.deliver({ endpoint: { id: 'e', url: body }, event: { id: 'v', type: 'x' }, body: '{}', headers: [] });
    return jsonReply(200, {});
  },
};
`;

t.test('[1] whatever a twin does in a call, the world goes on: the call is undone and told of', async t => {
  const file = await save(
    moduleOf({
      before: HAYWIRE,
      twin: `
        respond: (call, tx) => ways[call.path](tx, new TextDecoder().decode(call.body)),
        due: () => { throw new Error('due'); },
        signature: () => { throw new Error('signature'); },
        retryAfter: () => Number.NaN,
        error: (status, code, message) => {
          if (code === 'read_only') throw new Error('error');
          return jsonReply(status, { acme: { code, message } });
        },`,
    }),
  );
  await using world = await openTwinWorld({
    twins: { acme: join(folder, file) },
    at: '2026-03-01T00:00:00Z',
  });
  const ask = async (path: string, body?: string) => {
    const answer = await world.fetch(`https://api.acme.test/v1/${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  for (const path of [
    'throws',
    'nothing',
    'promise',
    'status',
    'interim',
    'header',
    'header-name',
    'body',
    'writes',
  ]) {
    t.strictSame(await ask(path), {
      status: 500,
      body: {
        acme: { code: 'twin_failed', message: 'The twin failed while it answered. Nothing was changed.' },
      },
    });
    t.strictSame(await ask('ok'), { status: 200, body: { ok: true } }, `after ${path}`);
  }
  t.strictSame(await world.log('acme'), [], 'nothing was changed');
  t.ok(world.complaints.some(line => line.includes('GET /v1/nothing: it is missing')));
  t.ok(world.complaints.some(line => line.includes('GET /v1/promise: it is a promise')));
  t.notOk(
    world.complaints.some(line => line.includes('secret of the caller')),
    'what a twin quotes is not logged',
  );

  await ask('due');
  await world.advance('1m');
  t.ok(world.complaints.some(line => line.startsWith('a due event failed and was dropped')));
  const receiver = await world.receiver();
  await ask('tells', receiver.url);
  while ((await world.log('acme')).every(({ kind }) => kind !== 'webhook.failed')) await ask('ok');
  t.ok(world.complaints.some(line => line.startsWith('a webhook could not be signed')));
  t.equal((await ask('ok')).status, 200);
});

t.test('what a twin leaves behind between calls ends nothing', async t => {
  const file = await save(moduleOf({ before: HAYWIRE, twin: 'respond: (call, tx) => ways[call.path](tx),' }));
  const child = `
    import { openTwinWorld } from 'wrld/twin-test';
    const world = await openTwinWorld({ twins: { acme: ${JSON.stringify(join(folder, file))} } });
    const ask = async path => (await world.fetch('https://api.acme.test/v1/' + path)).status;
    for (const path of ['stray', 'unhandled']) await ask(path);
    const strays = () => world.complaints.filter(line => line.startsWith('a twin failed outside of its calls'));
    while (strays().length < 2) await ask('ok');
    console.log(await ask('ok'), strays().length);
    await world[Symbol.asyncDispose]();
    setTimeout(() => { throw new Error('somebody else’s'); }, 1);
  `;
  // A process of its own: the test runner watches for strays itself.
  const script = join(import.meta.dirname, '..', '..', '..', 'authoring', 'twin-test.ts');
  const ended = await new Promise<{ code: unknown; out: string; err: string }>(resolve => {
    const text = child.replace("'wrld/twin-test'", JSON.stringify(script));
    execFile(process.execPath, ['--input-type=module', '-e', text], (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
  t.equal(ended.out, '200 2\n', ended.err);
  t.not(ended.code, 0, 'what is nobody’s twin’s stays fatal');
  t.match(ended.err, /somebody else/);
});

t.test('a package, whose twin is guarded as a file’s is', async t => {
  const installed = join(folder, 'node_modules', 'acme-twin');
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, 'index.mjs'), moduleOf());
  await writeFile(
    join(installed, 'package.json'),
    '{"name":"acme-twin","version":"2.1.0","exports":"./index.mjs"}',
  );
  const opened = await openTwins(folder, [{ vendor: 'it', twin: 'acme-twin', scenarioPath: null }], log);
  t.match(opened, { ok: true, twins: [{ package: { name: 'acme-twin', version: null } }] });
  if (opened.ok) opened.close();
});
