// A move whose sender or whose receiver is killed, at each of its stages, as processes: what is served afterwards is nothing or all of
// the world, whoever looks is told what was not finished, and the same command once more brings it there, once.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { COMMAND_MS_MAX, cleanEnv, wrldWords } from '../kit/command-line.ts';
import { within } from '../kit/deadline.ts';
import { freePort } from '../kit/free-port.ts';
import { askHost, bareWorld, hostDirectory, startHostQuietly } from '../kit/many-worlds.ts';

const NAME = 'acme/shop';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const CUSTOMERS = 40;

type Running = { readonly child: ChildProcess; readonly err: () => string };

function started(folder: string, ...words: readonly string[]): Running {
  const [program = '', ...args] = wrldWords(...words);
  const child = spawn(program, args, { cwd: folder, env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  let err = '';
  child.stderr!.setEncoding('utf8').on('data', text => (err += text));
  return { child, err: () => err };
}

const isOver = ({ child }: Running): boolean => child.exitCode !== null || child.signalCode !== null;

async function ended(running: Running): Promise<number | null> {
  if (!isOver(running)) await within('its end', once(running.child, 'close'), COMMAND_MS_MAX);
  return running.child.exitCode;
}

async function kill(running: Running): Promise<void> {
  running.child.kill('SIGKILL');
  await ended(running);
}

type Host = Running & { readonly baseUrl: string; readonly admin: string };

async function host(directory: string, port: number): Promise<Host> {
  const running = started(directory, 'host', directory, '--json', '--port', String(port), '--shards', '0');
  const lines = createInterface({ input: running.child.stdout! });
  const [line] = await within('the host', once(lines, 'line'), COMMAND_MS_MAX);
  running.child.stdout!.resume();
  const admin = readFileSync(tokenFile(directory), 'utf8').trim();
  return { ...running, baseUrl: JSON.parse(line).baseUrl, admin };
}

const tokenFile = (directory: string): string => join(directory, '.wrld-host', 'admin-token');

type When =
  /** The request is whole, and nobody has seen it but the gate. */
  | 'unasked'
  /** It is on its way to the host, which may or may not act on it. */
  | 'asked'
  /** The host has answered, and its client does not hear it. */
  | 'answered';

/** In front of a host: lets all pass but one request, at which it calls `now`, and its client hears nothing of it. */
class Gate {
  readonly #server: Server;
  #port = 0;
  #left = Number.POSITIVE_INFINITY;
  #when: When = 'unasked';
  #now = async (): Promise<void> => {};
  passed = 0;
  #settled = Promise.withResolvers<void>();

  constructor() {
    this.#server = createServer((asked, answer) => void this.#pass(asked, answer));
    t.teardown(() => void this.#server.close().closeAllConnections());
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on: the request after `left` others is that one. */
  set(to: number, left: number, when: When, now: () => Promise<void>): void {
    this.#port = to;
    this.#left = left;
    this.#when = when;
    this.#now = now;
    this.passed = 0;
    this.#settled = Promise.withResolvers();
  }

  /** When the receiver has answered the request at which somebody was killed, or will not any more. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await buffer(asked);
    this.passed += 1;
    const here = this.#left-- === 0;
    const cut = async (): Promise<void> => {
      await this.#now();
      answer.destroy();
    };
    if (here && this.#when === 'unasked') {
      this.#settled.resolve();
      return cut();
    }
    const { method, url: path, headers } = asked;
    const on = request({ host: '127.0.0.1', port: this.#port, method, path, headers, agent: false });
    on.on('error', () => answer.destroy());
    if (here) on.once('close', () => this.#settled.resolve());
    on.end(body);
    if (here && this.#when === 'asked') {
      // Whoever asked is gone; the receiver goes on with it all the same.
      on.on('response', response => response.resume());
      return cut();
    }
    on.on('response', response => {
      if (here) response.resume().once('end', () => void cut());
      else response.pipe(answer.writeHead(response.statusCode!, response.headers));
    });
  }
}

/** All that a host tells of its worlds, but for tokens and addresses. */
async function told({ baseUrl, admin }: { baseUrl: string; admin: string }): Promise<object> {
  const { json } = await askHost({ baseUrl }, 'GET', '/-/worlds', { token: admin });
  const worlds: { [name: string]: object } = {};
  for (const { name, token } of json.worlds) {
    const entries: unknown[] = [];
    for (let after: string | null = '0'; after !== null; ) {
      const page = await askHost({ baseUrl }, 'GET', `/-/${name}/log/stripe?after=${after}`, { token });
      entries.push(...page.json.entries);
      after = page.json.next;
    }
    const state = await askHost({ baseUrl }, 'GET', `/-/${name}/checkpoint/stripe`, { token });
    worlds[name] = { entries, state: state.json };
  }
  return worlds;
}

const source = await hostDirectory(t);
const from = join(source, NAME);
await bareWorld(source, NAME);
const expected = await (async () => {
  await using made = await startHostQuietly(source);
  const admin = made.adminToken.secret.reveal();
  const { json } = await askHost(made, 'GET', '/-/worlds', { token: admin });
  const { token } = json.worlds[0];
  const large = Array.from({ length: 40 }, (_, n) => `metadata[k${n}]=${'x'.repeat(450)}`).join('&');
  for (let n = 0; n < CUSTOMERS; n++) {
    const body = `email=c${n}@acme.test&${large}`;
    await askHost(made, 'POST', `/${NAME}/stripe/v1/customers`, { token, headers: FORM, body });
  }
  await askHost(made, 'POST', `/-/${NAME}/branches`, { token, body: {} });
  return await told({ baseUrl: made.baseUrl, admin });
})();
const gate = new Gate();
const front = await gate.open();

const push = (to: string, directory: string): Running =>
  started(from, 'world', 'push-to', to, '--token-file', tokenFile(directory));

/** Requests of a whole move: the first part, and each that follows. */
async function requests(): Promise<number> {
  const directory = await hostDirectory(t);
  const to = await host(directory, await freePort());
  gate.set(Number(new URL(to.baseUrl).port), Number.POSITIVE_INFINITY, 'unasked', async () => {});
  const sender = push(front, directory);
  if ((await ended(sender)) !== 0) throw new Error(sender.err());
  await kill(to);
  return gate.passed;
}

const count = await requests();
const STAGES = { first: 0, second: 1, middle: Math.floor(count / 2), last: count - 1 };

for (const [stage, at] of Object.entries(STAGES))
  for (const victim of ['sender', 'receiver'] as const)
    for (const when of ['unasked', 'asked', 'answered'] as const)
      t.test(`[4.10] push-to: the ${victim} is killed at the ${stage} part, ${when}`, async t => {
        const directory = await hostDirectory(t);
        const port = await freePort();
        let to = await host(directory, port);
        const hit = Promise.withResolvers<void>();
        let sender: Running | null = null;
        gate.set(port, at, when, async () => {
          await kill(victim === 'sender' ? sender! : to);
          hit.resolve();
        });
        sender = push(front, directory);
        await within('that part', hit.promise, COMMAND_MS_MAX);
        await within('the receiver to be done with it', gate.settled, COMMAND_MS_MAX);
        const code = await ended(sender);
        if (victim === 'receiver') {
          t.equal(code, 1);
          t.match(
            sender.err(),
            at === 0 ? /cannot be asked/ : /acme\/shop was on its way there. Run this again/,
          );
          to = await host(directory, port);
        }
        const unfinished = /"world":"acme\/shop".*a world (was arriving when|begins to arrive again)/;
        const between = await told(to);
        const isThere = Object.keys(between).length > 0;
        if (isThere) {
          t.equal(at, count - 1, 'nothing is served before the last part');
          t.strictSame(between, expected);
        }
        if (at === count - 1 && when === 'answered') t.ok(isThere, 'what was answered is so');
        const again = push(to.baseUrl, directory);
        t.equal(await ended(again), isThere ? 1 : 0, again.err());
        if (isThere)
          t.match(again.err(), /is there already.*cut off at its very end, this is that world, whole/);
        else if (at > 0 || when === 'answered') t.match(to.err(), unfinished, 'the host names it');
        t.strictSame(await told(to), expected, 'nothing is lost, nothing is there twice');
        t.notOk(existsSync(join(directory, '.wrld-host', 'arriving', 'acme--shop')));
        await kill(to);
      });

t.test('what moves is a world with a branch, in so many parts that each stage is another', async t => {
  t.equal(Object.keys(expected).length, 2);
  t.equal(new Set(Object.values(STAGES)).size, 4, `${count} requests`);
});

t.test('[4.10] import: the sender or the receiver is killed in the middle', async t => {
  const port = await freePort();
  let to = await host(source, port);
  const into = await hostDirectory(t);
  const folder = join(into, NAME);
  await mkdir(folder, { recursive: true });
  const url = `${to.baseUrl}/${NAME}`;
  const take = (at: string): Running =>
    started(folder, 'world', 'import', at, '--token-file', tokenFile(source));
  for (const victim of ['sender', 'receiver'] as const) {
    // The first part and some of the next have come, and the rest does not.
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = createServer((asked, answer) => {
      const { method, url: path, headers } = asked;
      const on = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
      on.on('error', () => answer.destroy());
      on.on('response', response => {
        answer.writeHead(response.statusCode!, response.headers);
        let sent = 0;
        response.on('data', (bytes: Buffer) => {
          sent += bytes.length;
          answer.write(bytes);
          if (sent < 1_300_000) return;
          response.pause();
          resolve();
        });
        response.on('error', () => answer.destroy());
        response.on('aborted', () => answer.destroy());
      });
      on.end();
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const taker = take(`http://127.0.0.1:${(slow.address() as AddressInfo).port}/${NAME}`);
    await within('most of it', promise, COMMAND_MS_MAX);
    const arriving = async (): Promise<void> => {
      while (!existsSync(join(folder, '.wrld-arriving'))) await new Promise(done => setImmediate(done));
    };
    await within('the first part to be taken', arriving(), COMMAND_MS_MAX);
    await kill(victim === 'sender' ? to : taker);
    slow.close();
    slow.closeAllConnections();
    const code = await ended(taker);
    if (victim === 'sender') {
      t.equal(code, 1);
      t.match(taker.err(), /broke off|damaged/);
      t.notOk(existsSync(join(folder, '.wrld-arriving')), 'nothing of it is left');
      to = await host(source, port);
    } else
      t.ok(
        existsSync(join(folder, '.wrld-arriving')),
        'what had come is beside the world, which is none yet',
      );
    t.notOk(existsSync(join(folder, '.wrld')));
    const again = take(url);
    let out = '';
    again.child.stdout!.setEncoding('utf8').on('data', text => (out += text));
    t.equal(await ended(again), 0, again.err());
    if (victim === 'receiver') t.match(out, /An earlier import was cut off; what had come of it is removed/);
    await using there = await startHostQuietly(into);
    const admin = there.adminToken.secret.reveal();
    t.strictSame(await told({ baseUrl: there.baseUrl, admin }), expected);
    await rm(join(folder, '.wrld'), { recursive: true });
  }
  t.strictSame(await told(to), expected, 'the host that it moved from has it as it was');
  await kill(to);
});
