// WebSockets of twins that outlast their object (4.11-4): it is put away in earnest, by the runtime, while they are open.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { WebSocket } from 'ws';
import { within } from '../kit/deadline.ts';
import { edgeWorld, putAway, startEdge } from '../kit/edge-host.ts';
import { askHost, hostDirectory } from '../kit/many-worlds.ts';

const folder = await hostDirectory(t);
const edge = await startEdge({ folder });
t.teardown(() => edge[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an event
type Event = any;

type Talk = {
  readonly ws: WebSocket;
  readonly send: (event: object) => void;
  /** Events up to one of that type, which is the last. */
  readonly until: (type: string) => Promise<readonly Event[]>;
  readonly ended: Promise<readonly [number, string]>;
};

async function talk(name: string, token: string, headers: { [name: string]: string } = {}): Promise<Talk> {
  const url = `${edge.baseUrl.replace('http', 'ws')}/${name}/openai/v1/realtime?model=gpt-realtime`;
  const ws = new WebSocket(url, { headers: { authorization: `Bearer ${token}`, ...headers } });
  const said: Event[] = [];
  ws.on('message', data => said.push(JSON.parse(String(data))));
  const ended = once(ws, 'close').then(([code, reason]) => [code, String(reason)] as const);
  const until = async (type: string): Promise<readonly Event[]> => {
    const come = async (): Promise<void> => {
      while (!said.some(event => event.type === type)) await once(ws, 'message');
    };
    await within(type, come());
    return said.splice(0, said.findIndex(event => event.type === type) + 1);
  };
  await until('session.created');
  return { ws, send: event => ws.send(JSON.stringify(event)), until, ended };
}

const says = (text: string, id: string): object => ({
  type: 'conversation.item.create',
  item: { id, type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

/** Of sockets, in the stores of all worlds. */
function rowsOfSockets(): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const rows = paths
    .filter(path => path.endsWith('.sqlite') && path.includes('WorldObject'))
    .map(path => {
      using store = new DatabaseSync(join(folder, path), { readOnly: true });
      // The runtime's own has none.
      if (store.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_cf_KV'").get() === undefined) return 0;
      return store.prepare("SELECT count(*) AS n FROM _cf_KV WHERE key LIKE 'socket/%'").get()!['n'];
    });
  return rows.reduce<number>((sum, n) => sum + Number(n), 0);
}

t.test('[4.11-4] a twin’s WebSocket goes on after its object was put away', async t => {
  const name = 'acme/talks';
  const { token } = await edgeWorld(edge, name, { vendors: ['openai'] });
  const handlers = [
    { id: 'teal', match: { lastUser: 'what was it?', system: 'Be brief.' }, reply: { text: 'it was teal' } },
  ];
  const put = await askHost(edge, 'PUT', `/-/${name}/twins/openai/scenario`, {
    token,
    body: { version: 1, handlers },
  });
  t.equal(put.status, 204, put.text);
  const { ws, send, until, ended } = await talk(name, token);
  send({ type: 'session.update', session: { instructions: 'Be brief.', output_modalities: ['text'] } });
  send(says('my colour is teal', 'first'));
  send({ type: 'input_audio_buffer.append', audio: '' });
  await until('error');
  for (let n = 0; n < 3; n++) {
    await putAway(edge, name);
    send({ type: 'conversation.item.retrieve', item_id: 'first' });
    const told = await until('conversation.item.retrieved');
    t.match(told.at(-1), { item: { id: 'first', content: [{ text: 'my colour is teal' }] } });
    t.equal(told.length, 1, 'and nothing is said that nobody asked');
  }
  await putAway(edge, name);
  // Together, while the object is woken by the first: in their order all the same.
  send({ type: 'input_audio_buffer.append', audio: '' });
  send(says('what was it?', 'second'));
  send({ type: 'response.create' });
  const answer = await until('response.done');
  t.match(answer.slice(0, 2), [
    { type: 'conversation.item.added', previous_item_id: 'first' },
    { type: 'conversation.item.done' },
  ]);
  t.match(answer.at(-1).response, { output: [{ content: [{ type: 'output_text', text: 'it was teal' }] }] });
  const { id } = answer.at(-1).response;
  await until('rate_limits.updated');
  await putAway(edge, name);
  send({ type: 'response.cancel', response_id: id });
  t.match((await until('error')).at(-1).error, { code: 'response_cancel_not_active' });
  const { json } = await askHost(edge, 'GET', `/-/${name}/log/openai?after=0`, { token });
  const traces = new Set(json.entries.map((entry: { trace: { traceId: string } }) => entry.trace.traceId));
  t.equal(traces.size, 1, 'all of it is one trace');
  t.equal(rowsOfSockets(), 0, 'and cost no row');
  await putAway(edge, name);
  ws.close(4000, 'enough');
  t.strictSame((await within('the end', ended))[0], 4000);
});

t.test('[4.11-4] what no attachment holds is in a row, until the end of the socket', async t => {
  const name = 'acme/long';
  const { token } = await edgeWorld(edge, name, { vendors: ['openai'] });
  const { ws, send, until, ended } = await talk(name, token);
  const instructions = 'Do. '.repeat(25_000);
  send({ type: 'session.update', session: { instructions } });
  await until('session.updated');
  t.equal(rowsOfSockets(), 1);
  await putAway(edge, name);
  send({ type: 'session.update', session: { output_modalities: ['text'] } });
  t.equal((await until('session.updated')).at(-1).session.instructions, instructions);
  await putAway(edge, name);
  send({ type: 'session.update', session: { instructions: 'Do.' } });
  t.match((await until('session.updated')).at(-1).session, { output_modalities: ['text'] });
  t.equal(rowsOfSockets(), 0, 'small again, it is attached');
  send({ type: 'session.update', session: { instructions } });
  await until('session.updated');
  await putAway(edge, name);
  ws.close(1000);
  t.equal((await within('the end', ended))[0], 1000);
  t.equal(rowsOfSockets(), 0);
});

t.test('[5.1] a socket that sleeps ends when its credential is no longer good', async t => {
  const name = 'acme/keyed';
  const { token } = await edgeWorld(edge, name, { vendors: ['openai'] });
  const path = `/-/${name}/keys`;
  const { json: key } = await askHost(edge, 'POST', path, { token, body: { name: 'app' } });
  const kept = await talk(name, token);
  const revoked = await talk(name, key.key);
  await putAway(edge, name);
  t.equal((await askHost(edge, 'DELETE', `${path}/${key.id}`, { token })).status, 204);
  t.strictSame(await within('its end', revoked.ended), [1008, 'the credential is no longer good']);
  kept.send({ type: 'input_audio_buffer.clear' });
  await kept.until('input_audio_buffer.cleared');
  await putAway(edge, name);
  await askHost(edge, 'POST', `/-/worlds/${name}/rotate`, { token: edge.admin });
  t.strictSame(await within('its end', kept.ended), [1008, 'the credential is no longer good']);
});

t.test('[4.11-4] a socket ends with its world, also one that sleeps', async t => {
  const name = 'acme/gone';
  const { token } = await edgeWorld(edge, name, { vendors: ['openai'] });
  const { ended } = await talk(name, token);
  await putAway(edge, name);
  await askHost(edge, 'DELETE', `/-/worlds/${name}`, { token: edge.admin });
  t.strictSame(await within('the end', ended), [1001, 'the world is gone']);
});
