import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import { Ipc, type IpcOptions, type Policy } from '../../../control/node/ipc.ts';
import { encodeMessage, type FromControl, type FromProxy, PUSH_PROTOCOL } from '../../../policy/push.ts';
import { compileSnapshot } from '../../../policy/snapshot.ts';
import { within } from '../../kit/deadline.ts';

const POLICY: Policy = {
  world: 'acme/shop',
  docsUrl: 'http://127.0.0.1:4000',
  sandbox: false,
  phase: null,
  network: { egress: ['https://e.test'], writes: [], passthrough: [], ownLoopback: true },
  parents: [],
  routes: [{ host: 'api.stripe.com', path: '/', vendor: 'stripe' }],
  endpoints: ['127.0.0.1:4000'],
  services: [],
  app: null,
  extraHosts: {},
  runs: [],
  anonymousRuns: true,
};

const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
t.teardown(() => rm(folder, { recursive: true }));
let sockets = 0;

type Open = AsyncDisposable & { readonly ipc: Ipc; readonly path: string; readonly logged: string[] };

async function open(options: Partial<IpcOptions> = {}): Promise<Open> {
  const path = join(folder, `${++sockets}.sock`);
  const logged: string[] = [];
  const say = (fields: object, message: string): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: say, info: say, warn: say, error: say };
  const ipc = await Ipc.listen({ path, epoch: 'e1', log, ...options });
  return { ipc, path, logged, [Symbol.asyncDispose]: () => ipc[Symbol.asyncDispose]() };
}

/** A stand-in proxy: says what the test says, and hands out what it hears, in order. */
async function dialIn(path: string): Promise<{
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  say(message: FromProxy): void;
  hear(): Promise<FromControl>;
}> {
  const socket = connect(path);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    socket,
    closed: once(socket, 'close'),
    say: message => void socket.write(encodeMessage(message)),
    hear: async () => JSON.parse((await within('a message of control', lines.next())).value as string),
  };
}

const hello = (pid: number, protocol = PUSH_PROTOCOL): FromProxy => ({
  type: 'hello',
  protocol,
  pid,
  listen: { host: '127.0.0.1', port: 4001 },
  snapshot: null,
});
const ack = (version: number, epoch = 'e1'): FromProxy => ({ type: 'ack', epoch, version });

t.test('a proxy gets the newest snapshot with its hello, and every newer one', async t => {
  await using control = await open();
  const { ipc } = control;
  t.equal((await stat(control.path)).mode & 0o777, 0o600);
  t.equal(await ipc.push(POLICY), 'nobody-connected');
  t.equal(await ipc.push({ ...POLICY, sandbox: true }), 'nobody-connected');
  const proxy = await dialIn(control.path);
  proxy.say(hello(7));
  const first = await proxy.hear();
  t.match(first, { type: 'snapshot', snapshot: { epoch: 'e1', version: 2, sandbox: true } });
  t.ok(first.type === 'snapshot' && compileSnapshot(first.snapshot).ok, 'it compiles');
  const confirmed = ipc.confirmed(7);
  proxy.say(ack(2));
  t.equal(await confirmed, 'acknowledged');
  t.equal(await ipc.confirmed(7), 'acknowledged', 'and is remembered');

  const pushed = ipc.push(POLICY);
  t.match(await proxy.hear(), { snapshot: { version: 3, sandbox: false } });
  proxy.say(ack(3));
  t.equal(await pushed, 'acknowledged');
  t.match(ipc.links, [{ pid: 7, listen: { port: 4001 }, acknowledged: 3, rejected: null }]);
});

t.test('a rejected snapshot is told with its reason, and the next one may be good', async t => {
  const helloed = Promise.withResolvers<unknown>();
  await using control = await open();
  control.ipc.onHello(helloed.resolve);
  const proxy = await dialIn(control.path);
  proxy.say(hello(7));
  await within('the hello', helloed.promise);
  const rejected = control.ipc.push(POLICY);
  await proxy.hear();
  proxy.say({ type: 'reject', epoch: 'e1', version: 1, reason: 'routes[0].host' });
  t.strictSame(await rejected, { rejected: 'routes[0].host' });
  t.strictSame(await control.ipc.confirmed(7), { rejected: 'routes[0].host' });
  t.match(control.logged.join('\n'), 'routes[0].host');
  const good = control.ipc.push(POLICY);
  await proxy.hear();
  proxy.say(ack(2));
  t.equal(await good, 'acknowledged');
  t.match(control.ipc.links, [{ acknowledged: 2, rejected: null }]);
});

/** Long enough for an answer on a busy machine, short enough to wait out. */
const ANSWER_MS = 1_000;

t.test('every connected proxy has to answer; one that leaves is not waited for', async t => {
  await using control = await open({ pushAnswerMs: ANSWER_MS });
  const one = await dialIn(control.path);
  const two = await dialIn(control.path);
  await control.ipc.push(POLICY);
  one.say(hello(1));
  two.say(hello(2));
  await Promise.all([one.hear(), two.hear()]);
  const both = control.ipc.push(POLICY);
  await Promise.all([one.hear(), two.hear()]);
  one.say(ack(2));
  two.socket.destroy();
  t.equal(await both, 'acknowledged');
  const silent = control.ipc.push(POLICY);
  await one.hear();
  t.match(await silent, { rejected: new RegExp(`did not answer within ${ANSWER_MS} ms`) });
  const older = control.ipc.push(POLICY);
  await one.hear();
  one.say(ack(4));
  t.equal(await older, 'acknowledged');
});

t.test('an answer to an older snapshot, or of another control, confirms nothing', async t => {
  await using control = await open({ pushAnswerMs: 50 });
  const proxy = await dialIn(control.path);
  await control.ipc.push(POLICY);
  proxy.say(hello(7));
  await proxy.hear();
  const pushed = control.ipc.push(POLICY);
  proxy.say(ack(1));
  proxy.say(ack(2, 'e0'));
  t.match(await pushed, { rejected: /did not answer/ });
});

t.test('who is no proxy of ours is closed, with a line in the log', async t => {
  const refused: unknown[] = [];
  await using control = await open({ onRefused: one => refused.push(one) });
  for (const [name, say, why] of [
    ['another protocol', encodeMessage(hello(7, PUSH_PROTOCOL + 1)), /speaks protocol/],
    ['no hello first', encodeMessage(ack(1)), /before hello/],
    ['hello twice', encodeMessage(hello(7)).repeat(2), /twice/],
    ['no message', 'GET / HTTP/1.1\r\n\r\n', /a connection was closed/],
  ] as const) {
    const proxy = await dialIn(control.path);
    proxy.socket.write(say);
    proxy.socket.resume();
    await within(`${name}: the close`, proxy.closed);
    t.match(control.logged.at(-1), why, name);
  }
  t.strictSame(refused, []);
});

t.test('refusals are handed on; a control that starts anew takes the socket file over', async t => {
  const refused = Promise.withResolvers<unknown>();
  const gone = Promise.withResolvers<number>();
  const path = join(folder, 'again.sock');
  await writeFile(path, 'left behind');
  await using control = await open({
    path,
    onRefused: refused.resolve,
    onGone: link => gone.resolve(link.pid),
  });
  const proxy = await dialIn(path);
  proxy.say(hello(7));
  proxy.say({
    type: 'refused',
    agent: null,
    at: 1,
    run: 'default',
    record: {
      kind: 'wrld-world-refusal',
      version: 1,
      capability: 'network.egress',
      target: 'https://e.test/',
      missing: 'grant',
      rule: 'sealed',
      reason: 'no',
      see: 'http://x/reference/refusals#sealed',
    },
  });
  t.match(await within('the refusal', refused.promise), { run: 'default', record: { rule: 'sealed' } });
  control.ipc.drain();
  t.strictSame(await proxy.hear(), { type: 'drain' });
  proxy.socket.destroy();
  t.equal(await within('the goodbye', gone.promise), 7);
  t.strictSame(control.ipc.links, []);
});
