// Each client that people use, in each way a program can be in a world: what it is answered, what it is refused, what
// goes out by a grant, and whether anything of it slips past to a stranger in the vendors' place. With WRLD_CLIENTS_WRITE=1
// what was seen becomes test/clients/table.json, of which `npm run generate` makes docs/clients.md; without, what is said
// there is held against what was seen.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import type { ClientsTable, Saw } from '../../scripts/clients-page.ts';
import { cleanEnv, command, openWorlds, startWords, wrldWords } from '../kit/command-line.ts';
import { cannotContain, lacks } from '../kit/contained.ts';
import { within } from '../kit/deadline.ts';
import { ORIGIN_ADDRESS, openStranger, type Stranger } from '../kit/stranger.ts';
import { createTestAuthority } from '../kit/test-ca.ts';

const HERE = join(import.meta.dirname, 'table');
const FILE = join(import.meta.dirname, 'table.json');
const WRLD_WORLD = join(import.meta.dirname, '..', '..', 'cli', 'wrld-world.js');
const RUN_MS_MAX = 150_000;
const GRANTED = 'https://granted.example:8444';
const PORTS = { loopback: 18_181, untrusted: 18_182 };
const BIG_BYTES = 50 * 1024 * 1024;

/** Each by a process of its own. */
const PHP_CHECKS = ['twin', 'refusal', 'grant', 'up', 'events', 'trust', 'loopback', 'slip'];
const SHELL = ['curl', 'wget', 'git'];

type Asked = { readonly [name in 'TWIN' | 'REFUSED' | 'GRANTED' | 'UNTRUSTED' | 'LOOPBACK']: string };
type Way = 'contained' | 'open' | 'attached';

const skip = await cannotContain();
const worlds = await openWorlds();
t.teardown(worlds.remove);

/** Shell words that run a client's checks, by client; null where it is not here. */
async function clients(folder: string): Promise<{ readonly [client: string]: string | null }> {
  const here = async (words: string, program: string, ...args: string[]): Promise<string | null> =>
    (await lacks(program, ...args)) === false ? words : null;
  const quoted = (file: string): string => `'${join(HERE, file)}'`;
  let go: string | null = null;
  if ((await lacks('go', 'version')) === false) {
    const built = await command(
      ['go', 'build', '-o', join(folder, 'client-go'), join(HERE, 'client.go')],
      folder,
    );
    if (built.code !== 0) throw new Error(built.err);
    go = `'${join(folder, 'client-go')}'`;
  }
  let java: string | null = null;
  if ((await lacks('javac', '-version')) === false) {
    const built = await command(['javac', '-d', folder, join(HERE, 'Client.java')], folder);
    if (built.code !== 0) throw new Error(built.err);
    java = `java -cp '${folder}' Client`;
  }
  return {
    python: await here(`python3 ${quoted('client.py')}`, 'python3'),
    go,
    java,
    ruby: await here(`ruby ${quoted('client.rb')}`, 'ruby'),
    php: await here(PHP_CHECKS.map(check => `php ${quoted('client.php')} ${check}`).join('; '), 'php'),
    node: `'${process.execPath}' ${quoted('client.mjs')} node`,
    bun: await here(`bun ${quoted('client.mjs')} bun`, 'bun'),
    deno: await here(`deno run -A ${quoted('client.mjs')} deno`, 'deno'),
  };
}

/** The origins of the table, in the stranger's internet. The answer ends them. */
async function startOrigins(stranger: Stranger, folder: string): Promise<AsyncDisposable> {
  const [granted, untrusted] = await Promise.all([
    createTestAuthority(),
    createTestAuthority('nobody knows'),
  ]);
  await writeFile(join(folder, 'granted-ca.crt'), granted.pem);
  for (const [name, leaf] of [
    ['granted', await granted.leaf(['granted.example'])],
    ['untrusted', await untrusted.leaf(['127.0.0.1', 'localhost'])],
  ] as const) {
    await writeFile(join(folder, `${name}.key`), leaf.key);
    await writeFile(join(folder, `${name}.crt`), leaf.cert);
  }
  const [program = '', ...args] = stranger.words(
    [
      ...[process.execPath, join(HERE, 'origin.mjs'), folder, `${ORIGIN_ADDRESS} 8444`],
      ...[String(PORTS.loopback), String(PORTS.untrusted)],
    ],
    folder,
  );
  const child = spawn(program, args, { env: cleanEnv(), stdio: ['ignore', 'pipe', 'inherit'] });
  await within('the origins to listen', once(createInterface({ input: child.stdout }), 'line'));
  return {
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Rows of what the clients said in one way, and whether they slipped past. */
async function tryWay(
  way: Way,
  { stranger, words, script }: { stranger: Stranger; words: readonly string[]; script: string },
): Promise<{ [client: string]: Saw }> {
  const [program = '', ...args] = stranger.words([...words, 'sh', '-c', script], worlds.root);
  const child = spawn(program, args, { env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', text => (out += text));
  child.stderr.setEncoding('utf8').on('data', text => (err += text));
  await within(`the clients of ${way}; they said ${err.slice(-500)}`, once(child, 'close'), RUN_MS_MAX);
  const saw: { [client: string]: { [check: string]: boolean } } = {};
  for (const line of out.split('\n')) {
    const [client = '', check = '', word = ''] = line.split('\t');
    if (word === 'yes' || word === 'no') (saw[client] ??= {})[check] = word === 'yes';
  }
  if (Object.keys(saw).length === 0) throw new Error(`nobody said anything: ${out}${err}`);
  for (const [client, checks] of Object.entries(saw))
    checks['slips'] = stranger.heardOf(`${client}.${way}.slip.test`);
  return saw;
}

/** What is found in the page that it shows, a browser a question. */
async function tryChromium(
  way: 'contained' | 'open',
  { stranger, folder, asked }: { stranger: Stranger; folder: string; asked: Asked },
): Promise<Saw> {
  const show = async (url: string, ...flags: readonly string[]): Promise<string> => {
    const page = ['chromium', '--headless', '--no-sandbox', '--disable-gpu', ...flags, '--dump-dom', url];
    return (await stranger.run(wrldWords('world', 'run', `--${way}`, '--quiet', '--', ...page), folder)).out;
  };
  const slip = `chromium.${way}.slip.test`;
  const [twin, refusal, grant, events, trust, loopback] = await Promise.all([
    // A page brings no Authorization of its own.
    show(`${asked.TWIN}?key=sk_test_x`),
    show(asked.REFUSED),
    show(`${asked.GRANTED}/hello`),
    show(`${asked.GRANTED}/events`),
    show(`${asked.UNTRUSTED}/`),
    show(`${asked.LOOPBACK}/`),
    show(`http://${slip}/`, '--no-proxy-server'),
  ]);
  return {
    twin: /\/v1\/customers/.test(twin!),
    refusal: /not-granted/.test(refusal!),
    grant: /granted hello/.test(grant!),
    events: /event 3/.test(events!),
    trust: !/outside/.test(trust!),
    loopback: /outside/.test(loopback!),
    slips: stranger.heardOf(slip),
  };
}

t.test('[4.2, 7.1] what is said of each client is so', { skip, timeout: 400_000 }, async t => {
  const config = { runtime: { network: { egress: [GRANTED], writes: [GRANTED] } } };
  const folder = await worlds.make('table', config);
  const served = await worlds.make('served', config);
  await writeFile(join(worlds.root, 'big'), Buffer.alloc(BIG_BYTES));
  const ways: Way[] = ['contained', 'open', 'attached'];
  const all = await clients(worlds.root);
  const chromium = (await lacks('chromium')) || (await lacks('sh', '-c', 'command -v certutil'));
  const names = [...SHELL, ...Object.keys(all), ...(chromium === false ? ['chromium'] : [])];
  const hosts = names.flatMap(client => ways.map(way => `${client}.${way}.slip.test`));
  await using stranger = await openStranger(['api.stripe.com', ...hosts], ['granted.example']);
  await using _origins = await startOrigins(stranger, worlds.root);
  const env = ['env', `NODE_EXTRA_CA_CERTS=${join(worlds.root, 'granted-ca.crt')}`];
  await using _up = await startWords(
    folder,
    stranger.words([...env, ...wrldWords('world', 'up', '--json')], folder),
  );
  await using far = await startWords<{ readonly worldUrl: string; readonly token: string }>(
    served,
    stranger.words([...env, ...wrldWords('world', 'serve', '--json')], served),
  );
  const asked = {
    TWIN: 'https://api.stripe.com/v1/customers',
    REFUSED: 'https://refused.example/',
    GRANTED,
    LOOPBACK: `http://127.0.0.1:${PORTS.loopback}`,
    UNTRUSTED: `https://127.0.0.1:${PORTS.untrusted}`,
    BIG: join(worlds.root, 'big'),
  };
  const lines = Object.values(all).flatMap(words => (words === null ? [] : [words]));
  const exports = Object.entries(asked).map(([name, value]) => `export ${name}='${value}'`);
  const script = (way: Way): string =>
    [...exports, `SLIP=.${way}.slip.test`, 'export SLIP', `. '${join(HERE, 'client.sh')}'`, ...lines].join(
      '\n',
    );
  const at = (...words: readonly string[]): readonly string[] => [
    'sh',
    '-c',
    'cd "$0" && exec "$@"',
    folder,
    ...words,
  ];
  const { worldUrl, token } = far.up;
  const starts: { readonly [way in Way]: readonly string[] } = {
    contained: at(...wrldWords('world', 'run', '--contained', '--quiet', '--')),
    open: at(...wrldWords('world', 'run', '--open', '--quiet', '--')),
    attached: [...env, process.execPath, WRLD_WORLD, 'attach', worldUrl, '--token', token, '--'],
  };
  const table: { [way in Way]: { [client: string]: Saw } } = { contained: {}, open: {}, attached: {} };
  for (const way of ways)
    table[way] = await tryWay(way, { stranger, words: starts[way], script: script(way) });
  if (chromium === false)
    for (const way of ['contained', 'open'] as const)
      table[way]['chromium'] = await tryChromium(way, { stranger, folder, asked });
  const seen: ClientsTable = { ways: table };
  if (process.env['WRLD_CLIENTS_WRITE'] === '1') writeFileSync(FILE, `${JSON.stringify(seen, null, 2)}\n`);
  const said = JSON.parse(readFileSync(FILE, 'utf8')) as ClientsTable;
  for (const way of ways) {
    for (const [client, checks] of Object.entries(table[way]))
      if (said.ways[way]?.[client] !== undefined)
        t.strictSame(checks, said.ways[way]![client], `${way}: ${client}`);
  }
  for (const [client, { slips }] of Object.entries(table.contained))
    t.equal(slips, false, `${client}, contained, slips past nobody`);
});
