// The worked example of docs/writing-a-twin.md as somebody follows it: its own test, its app, and the text itself.
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { openTwinWorld } from '../../authoring/twin-test.ts';
import { command, wrldWords } from '../kit/command-line.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const EXAMPLE = join(ROOT, 'examples', 'parcel');
const TWIN = new URL('../../examples/parcel/parcel.ts', import.meta.url);
const API = 'https://api.parcel.example/v1';
const headers = { authorization: 'Bearer pk_test_x' };

t.test('the example’s own test passes', async t => {
  const ended = await command([process.execPath, '--test', 'parcel.test.ts'], EXAMPLE);
  t.match(ended.out, /pass 2\n/, ended.out);
  t.equal(ended.code, 0);
});

t.test('its app runs in its world, where nothing is installed', async t => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await cp(EXAMPLE, folder, { recursive: true });
  const words = wrldWords('world', 'run', '--sandbox', '--', process.execPath, 'app.mjs');
  const ended = await command(words, folder);
  t.strictSame(ended, { code: 0, out: '201 announced true\n', err: '' });
});

t.test('a world does not start with a twin that is none, and says why', async t => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await cp(EXAMPLE, folder, { recursive: true });
  const whole = await readFile(join(folder, 'parcel.ts'), 'utf8');
  await writeFile(join(folder, 'parcel.ts'), whole.replace("paths: ['/v1/']", "paths: ['v1']"));
  t.strictSame(await command(wrldWords('world', 'run', '--', process.execPath, 'app.mjs'), folder), {
    code: 2,
    out: '',
    err: [
      'wrld world run: services.parcel.twin: ./parcel.ts is no twin yet:',
      '  twin.manifest.hosts[0].paths[0] is "v1"; a prefix begins and ends with /: "/v1/"\n',
    ].join('\n'),
  });
});

t.test('docs/writing-a-twin.md shows the files of the example, as they are', async t => {
  const page = await readFile(join(ROOT, 'docs', 'writing-a-twin.md'), 'utf8');
  const shown = [...page.matchAll(/```(ts|json|js)\n(?:\/\/ (\S+)\n)?([\s\S]*?)```/g)];
  t.ok(shown.length >= 6);
  const files = ['parcel.ts', 'parcel.test.ts', 'handlers.json', 'app.mjs', '.wrld/world.json'];
  const texts = await Promise.all(files.map(file => readFile(join(EXAMPLE, file), 'utf8')));
  for (const [, , , code = ''] of shown)
    t.ok(
      texts.some(text => text.includes(code.trimEnd())),
      `is of the example: ${code.slice(0, 60)}`,
    );
  const twin = texts[0]!;
  const parts = shown.map(([, , , code = '']) => code.trimEnd()).filter(code => twin.includes(code));
  const left = parts.reduce((rest, code) => rest.replace(code, ''), twin).trim();
  t.equal(
    left,
    '// A twin of a made-up vendor that carries parcels: docs/writing-a-twin.md leads through it.',
  );
});

t.test('a world of one’s own to test in: what its fetch and its helpers do', async t => {
  await using world = await openTwinWorld({ twins: { parcel: TWIN }, at: '2026-03-02T08:00:00Z' });
  const refused = await world.fetch('https://api.elsewhere.example/v1');
  t.equal(refused.status, 502);
  t.equal(refused.headers.get('x-wrld-world-refusal'), 'grant', '[7.1] nothing leaves it');
  const plain = await world.fetch('http://api.parcel.example/v1/parcels', { headers });
  t.strictSame(await plain.json(), { data: [], has_more: false }, 'http: as https:');
  const head = await world.fetch(new Request(`${API}/parcels`, { method: 'HEAD', headers }));
  t.strictSame([head.status, await head.text()], [200, '']);
  await t.rejects(world.fetch(`${API}/parcels`, { headers, signal: AbortSignal.abort() }), {
    name: 'AbortError',
  });

  const receiver = await world.receiver();
  receiver.answer(500);
  const post = (path: string, body: object) =>
    world.fetch(`${API}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/hooks', { url: receiver.url });
  await post('/parcels', { to: 'Ada', grams: 1 });
  await world.advance('4h');
  const first = await receiver.next();
  receiver.answer(200);
  const entries = async (kind: string) =>
    (await world.log('parcel')).filter(entry => entry.kind === kind).length;
  while ((await entries('webhook.failed')) === 0) await world.fetch(`${API}/parcels`, { headers });
  await world.advance('1m');
  const again = await receiver.next();
  t.equal(again.body, first.body, '[6] tried again on the world’s time');
  t.equal(again.headers['webhook-id'], first.headers['webhook-id']);
  const [created] = (await world.log('parcel')).filter(({ kind }) => kind === 'parcel.created');
  t.match(created, { caller: /./, trace: { traceId: /^[0-9a-f]{32}$/ }, request: { method: 'POST' } });
});

t.test('[4.3] a parcel that waits goes on in a branch by the branch’s own clock', async t => {
  await using world = await openTwinWorld({ twins: { parcel: TWIN } });
  const sent = await world.fetch(`${API}/parcels`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ to: 'Ada', grams: 1 }),
  });
  const { id } = (await sent.json()) as { readonly id: string };
  const { origin, pathname } = new URL(world.worldUrl);
  const own = async (path: string, token: string, method = 'GET', body?: object) => {
    const answer = await fetch(`${origin}/-${path}`, {
      method,
      headers: { 'x-wrld-token': token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as { readonly name: string; readonly token: string };
  };
  const branch = await own(`${pathname}/branches`, world.token, 'POST', {});
  await own(`/${branch.name}/clock/advance`, branch.token, 'POST', { by: '3d' });
  const parcelIn = async (place: string, key: string) => {
    const answer = await fetch(`${place}/parcel/v1/parcels/${id}`, {
      headers: { ...headers, 'x-twins-key': key },
    });
    return ((await answer.json()) as { readonly status: string }).status;
  };
  t.equal(await parcelIn(`${origin}/${branch.name}`, branch.token), 'delivered');
  t.equal(await parcelIn(world.worldUrl, world.token), 'announced');
});

const ECHO = `
import { type Call, EVEN_PACE, GENERATIVE_MATCHERS, jsonReply, type Reply, readJson, type Spoken, streamOf, textField, type Twin } from 'wrld/twin';

const said = (call: Call): string => textField(readJson(call.body), 'say') ?? '';
function answer(call: Call, spoken: Spoken | null): Reply {
  const words = (spoken?.text ?? said(call)).split(' ');
  const frames = words.map(word => ({ text: \`data: \${word}\\n\\n\`, piece: true }));
  const body = streamOf(frames, spoken?.pace ?? EVEN_PACE, spoken?.ending ?? null, ({ message }) => \`event: error\\ndata: \${message}\\n\\n\`);
  return { status: 200, headers: [['Content-Type', 'text/event-stream']], body };
}
export const twin: Twin = {
  manifest: {
    kind: 'wrld-twin', vendor: 'echo', version: '1.0.0', protocol: 'http', api: { sdks: [] }, models: [],
    coverage: { modelled: 1, generic: 0, catalog: 1 }, hosts: [{ host: 'llm.echo.example', paths: ['/'] }],
    generative: true, matchers: GENERATIVE_MATCHERS, root: false, screens: [],
  },
  records: {},
  respond: call => answer(call, null),
  error: (status, code, message) => jsonReply(status, { code, message }),
  generative: {
    features: call => ({
      endpoint: 'say', model: 'echo', lastUser: said(call), system: null, input: said(call), tools: [], toolResults: [],
      turn: 1, stream: true, responseFormat: 'text', conversation: 'one',
    }),
    reply: (call, _tx, spoken) => answer(call, spoken),
  },
};
`;

t.test('a language model’s twin: handlers match what was said, and its words are streamed', async t => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'echo.ts'), ECHO);
  await using world = await openTwinWorld({
    twins: { echo: join(folder, 'echo.ts') },
    handlers: {
      echo: {
        handlers: [
          { id: 'weather', match: { lastUser: { contains: 'weather' } }, reply: { text: 'rain all day' } },
          {
            id: 'breaks',
            match: { lastUser: 'break' },
            reply: {
              text: 'one two three',
              error: { status: 500, type: 'api_error', message: 'It broke.' },
              stream: { cutAfterChunks: 2 },
            },
          },
        ],
      },
    },
  });
  const say = async (words: string) => {
    const body = JSON.stringify({ say: words });
    return await (await world.fetch('https://llm.echo.example/say', { method: 'POST', body })).text();
  };
  t.equal(await say('hello you'), 'data: hello\n\ndata: you\n\n');
  t.equal(await say('the weather?'), 'data: rain\n\ndata: all\n\ndata: day\n\n');
  t.equal(await say('break'), 'data: one\n\ndata: two\n\nevent: error\ndata: It broke.\n\n');
  const { handlers, unmatchedTotal } = await world.scenario('echo');
  t.strictSame([handlers.map(({ matched }) => matched), unmatchedTotal], [[1, 1], 1]);
});

t.test('a twin that cannot be used is told of by the opener', async t => {
  await t.rejects(openTwinWorld({ twins: { parcel: new URL('./nothing.ts', TWIN) } }), {
    message: /services\.parcel\.twin: .*nothing\.ts cannot be loaded/,
  });
  await t.rejects(openTwinWorld({ twins: { parcel: TWIN }, handlers: { parcel: { handler: [] } } }), {
    message: /parcel\.json/,
  });
});
