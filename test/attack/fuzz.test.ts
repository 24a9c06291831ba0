// Whatever bytes arrive, from clients or from origins: what policy did not permit is never forwarded, an answer
// never reaches another connection than the one that asked, nothing cut short looks complete, and nothing
// crashes. FUZZ_SECONDS=600 runs for longer, WRLD_SEED=… again the same.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import t, { type Test } from 'tap';
import { within } from '../kit/deadline.ts';
import { fc } from '../kit/property.ts';
import { granting, startProxy } from '../kit/proxy.ts';
import { SEED } from '../kit/seed.ts';
import { connectTunnel, openWire } from '../kit/wire.ts';
import { answersIn, bodyOf } from './answers.ts';
import {
  type Attack,
  attack,
  damaged,
  type HostileAnswer,
  hostileAnswer,
  inFrames,
  pieces,
} from './bytes.ts';
import { startWorld, unpermitted } from './world.ts';

const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 16);
/** A connection on which nothing has come for so long is waiting for bytes that this attack does not send. */
const QUIET_MS = 60;
const AT_ONCE = 12;

async function search<T>(
  t: Test,
  attacks: fc.Arbitrary<T>,
  share: number,
  holds: (attacks: T) => Promise<void>,
): Promise<void> {
  let runs = 0;
  const details = await fc.check(
    fc.asyncProperty(attacks, async made => {
      runs++;
      await holds(made);
    }),
    {
      seed: SEED,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: SECONDS * share * 1_000,
      endOnFailure: SECONDS < 60,
    },
  );
  t.comment(`WRLD_SEED=${SEED}: ${runs} rounds of up to ${AT_ONCE} connections`);
  t.ok(runs > 0);
  if (details.failed && details.counterexample !== null)
    t.fail(`${details.errorInstance}\n${fc.defaultReportMessage(details)}`);
  else t.pass('no counterexample');
}

/** Sends the pieces, and takes what comes until the other side ends, or says no more. */
async function converse(socket: Duplex, sent: readonly Buffer[], resets: boolean): Promise<string> {
  const received: Buffer[] = [];
  let heard = performance.now();
  socket.on('data', (bytes: Buffer) => {
    received.push(bytes);
    heard = performance.now();
  });
  const ended = Promise.withResolvers<void>();
  socket
    .on('end', ended.resolve)
    .on('error', () => ended.resolve())
    .on('close', ended.resolve);
  socket.resume();
  for (const [i, bytes] of sent.entries()) {
    if (socket.destroyed) break;
    socket.write(bytes);
    await new Promise(resolve => setImmediate(resolve));
    if (resets && i >= sent.length / 2) socket.destroy();
  }
  heard = performance.now();
  const quiet = setInterval(() => {
    if (performance.now() - heard > QUIET_MS) ended.resolve();
  }, QUIET_MS / 3);
  await ended.promise;
  clearInterval(quiet);
  socket.destroy();
  return Buffer.concat(received).toString('latin1');
}

t.test(
  '[fuzz] whatever a client sends, only what is permitted is forwarded, and answered to who asked',
  async t => {
    await using world = await startWorld();
    const { proxy } = world;
    let connections = 0;
    let answered = 0;
    let forwarded = 0;

    const open = async (way: Attack['way']): Promise<Duplex> => {
      const alpn = way === 'http2' ? ['h2'] : undefined;
      const tls = { ca: proxy.ca, ...(alpn === undefined ? {} : { alpn }) };
      if (way === 'proxy') return (await openWire(proxy.port)).release();
      const host = {
        'clear-tunnel': world.clear,
        'secure-tunnel': world.secure,
        'twin-tunnel': 'tw.test:443',
        http2: 'tw.test:443',
        'evil-tunnel': world.secure,
      }[way];
      const secure = way !== 'clear-tunnel' && way !== 'evil-tunnel';
      return (await connectTunnel(proxy.port, host, secure ? { tls } : {})).peer.release();
    };

    const strike = async ({ way, requests, damages, cuts, resets }: Attack): Promise<void> => {
      const nth = connections++;
      const own = {
        proxy: world.clear,
        'clear-tunnel': world.clear,
        'secure-tunnel': world.secure,
        'twin-tunnel': 'tw.test',
        http2: 'tw.test',
        'evil-tunnel': world.secure,
      }[way];
      const tags = requests.map((_, i) => `${nth}-${i}`);
      // Which answer is HEAD's, and so without a body, is known only where requests end where they say they do.
      const sure =
        damages.length === 0 &&
        requests.every(
          text => /^[A-Z]+ .* HTTP/.test(text) && !/Length: (5|\+5|99)|\r\n\r\n[\s\S]*[^ -~\r\n]/.test(text),
        );
      const filled = requests.map((made, i) => {
        const text = sure ? made : made.replace('HEAD', 'GET');
        const absolute = way === 'proxy' ? text.replace(/^([A-Z]+) \//, `$1 http://${own}/`) : text;
        return absolute
          .replaceAll('{tag}', tags[i]!)
          .replaceAll('{own}', own)
          .replaceAll('{other}', 'p.test');
      });
      // A last one that is good and ends the connection, wherever the attack lets it be seen for what it is.
      const target = way === 'proxy' || way === 'clear-tunnel' ? `http://${own}` : '';
      tags.push(`${nth}-last`);
      filled.push(
        `GET ${target}/v1/a HTTP/1.1\r\nHost: ${own}\r\nX-Tag: ${nth}-last\r\nConnection: close\r\n\r\n`,
      );
      const bytes = damaged(way === 'http2' ? inFrames(filled, own, tags) : filled.join(''), damages);
      const received = await converse(await open(way), pieces(bytes, cuts), resets);
      if (way === 'http2') {
        for (const [, tag] of received.matchAll(/control (\d+)-\d+/g))
          if (tag !== String(nth)) throw new Error(`${nth} was answered ${tag}`);
        return;
      }
      if (way === 'evil-tunnel') return;
      const answers = answersIn(received, sure ? filled.map(text => text.split(' ')[0]!) : null);
      let last = -1;
      for (const answer of answers) {
        answered++;
        const tag = /^x-tag: (\S+)/im.exec(answer)?.[1];
        if (tag === undefined) continue;
        const place = tags.indexOf(tag);
        // A damaged tag is still its connection's own.
        if (damages.length === 0 && place <= last)
          throw new Error(`answer ${tag} came after ${last} on connection ${nth}`);
        if (damages.length === 0) last = place;
        else if (!bytes.includes(tag)) throw new Error(`connection ${nth} was answered ${tag}`);
      }
    };

    await search(t, fc.array(attack, { minLength: 1, maxLength: AT_ONCE }), 0.65, async attacks => {
      await Promise.all(attacks.map(strike));
      for (const seen of world.seen.splice(0)) {
        forwarded++;
        const wrong = unpermitted(seen, world.snapshot);
        if (wrong !== null) throw new Error(wrong);
      }
    });
    t.comment(`${connections} connections, ${answered} answers, ${forwarded} requests forwarded`);
    t.ok(answered > 0 && forwarded > 0);

    // A connection that nobody holds any more is gone, and the proxy serves as before.
    await within(
      'all connections to end',
      (async () => {
        while (proxy.server.deadlines.size > 0) await new Promise(resolve => setImmediate(resolve));
      })(),
    );
    const { peer } = await proxy.tunnel(world.secure);
    await peer.send(`GET /v1/a HTTP/1.1\r\nHost: ${world.secure}\r\nX-Tag: last\r\n\r\n`);
    t.equal((await peer.readResponse()).body.toString(), 'secure last');
    peer.socket.destroy();
  },
);

t.test('[fuzz] whatever an origin answers, the client gets it well-formed, or a 502, or a cut', async t => {
  const answers = new Map<string, HostileAnswer>();
  const origin = createServer(socket => void serve(socket));
  async function serve(socket: Socket): Promise<void> {
    socket.on('error', () => {});
    let head = '';
    socket.setEncoding('latin1').on('data', text => (head += text));
    while (!head.includes('\r\n\r\n')) {
      if (socket.destroyed) return;
      await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => {});
    }
    const tag = /x-tag: (\S+)/i.exec(head)?.[1] ?? '';
    const answer = answers.get(tag);
    if (answer === undefined) return void socket.destroy();
    for (const piece of pieces(answer.bytes.replaceAll('{tag}', tag), answer.cuts)) {
      socket.write(piece);
      await new Promise(resolve => setImmediate(resolve));
    }
    if (answer.ends === 'end') socket.end();
    else socket.destroy();
  }
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const host = `c.test:${(origin.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), 'wrld-fuzz-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const controlSocket = join(folder, 'twins.sock');
  const twins = createServer(socket => void serve(socket));
  twins.listen(controlSocket);
  await once(twins, 'listening');
  await using proxy = await startProxy({
    controlSocket,
    world: { ...granting(`http://${host}`), routes: [{ host: 'tw.test', path: '/v1/', vendor: 'tw' }] },
  });
  let asked = 0;
  let whole = 0;
  let cut = 0;

  // Tags are longer than any body that chance makes, and end in a mark, so that neither chance nor a cut makes another's.
  const ask = async (answer: HostileAnswer): Promise<void> => {
    const tag = `answer-to-${asked++}.`;
    answers.set(tag, answer);
    const socket = connectTcp({ host: '127.0.0.1', port: proxy.port });
    const request = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nX-Tag: ${tag}\r\nConnection: close\r\n\r\n`;
    const received = await converse(socket, [Buffer.from(request)], false);
    answers.delete(tag);
    for (const [found] of received.matchAll(/answer-to-\d+\./g))
      if (found !== tag) throw new Error(`${tag} was answered ${found}`);
    const final = answersIn(received, ['GET'])[0];
    if (final === undefined) {
      cut++;
      return;
    }
    const headEnd = final.indexOf('\r\n\r\n') + 4;
    if (/^x-wrld-world-refusal:/im.test(final.slice(0, headEnd)))
      throw new Error(`a refusal that nobody made: ${final}`);
    if (/No rule refused this request\.\n$/.test(final)) return;
    whole++;
    holds(answer, tag, bodyOf(final));
  };

  /** What came whole was sent whole, and says the same; another reader than the proxy's tells what was sent. */
  const holds = (answer: HostileAnswer, tag: string, body: string): void => {
    let sent: string | undefined;
    try {
      sent = answersIn(answer.bytes.replaceAll('{tag}', tag), ['GET'])[0];
    } catch {
      // It cannot be read by this reader, which is no judge then.
      return;
    }
    if (sent === undefined) throw new Error(`${tag} looks whole: ${JSON.stringify(body)}`);
    if (bodyOf(sent) !== body)
      throw new Error(`${tag}: ${JSON.stringify(body)}, and ${JSON.stringify(sent)} was sent`);
  };

  const session = async (): Promise<ClientHttp2Session> => {
    const { peer } = await connectTunnel(proxy.port, 'tw.test:443', { tls: { ca: proxy.ca, alpn: ['h2'] } });
    return connectHttp2('https://tw.test', { createConnection: () => peer.release() as Socket });
  };
  const h2 = await session();

  /** The same from a twin, to a client that speaks HTTP/2. */
  const askOverHttp2 = async (answer: HostileAnswer): Promise<void> => {
    const tag = `answer-to-${asked++}.`;
    answers.set(tag, answer);
    const stream = h2.request({ ':path': '/v1/a', 'x-tag': tag });
    let status = 0;
    let body = '';
    stream.on('response', headers => (status = Number(headers[':status'])));
    stream
      .setEncoding('latin1')
      .on('data', text => (body += text))
      .on('error', () => {});
    if (!stream.closed)
      await within(`the end of ${tag}`, new Promise(resolve => stream.once('close', resolve)));
    answers.delete(tag);
    for (const [found] of body.matchAll(/answer-to-\d+\./g))
      if (found !== tag) throw new Error(`${tag} was answered ${found}`);
    if (stream.rstCode !== 0 || status === 0) cut++;
    else if (!/No rule refused this request\.\n$/.test(body)) {
      whole++;
      holds(answer, tag, body);
    }
  };

  await search(t, fc.array(hostileAnswer, { minLength: 1, maxLength: AT_ONCE }), 0.35, async made => {
    await Promise.all(made.map((each, i) => (i % 3 === 2 ? askOverHttp2(each) : ask(each))));
  });
  t.comment(`${asked} answers: ${whole} passed on whole, ${cut} cut`);
  t.ok(whole > 0 && cut > 0);
  t.notOk(h2.destroyed, 'a stream’s answer ends no session');
  h2.destroy();
  await within(
    'all connections to end',
    (async () => {
      while (proxy.server.deadlines.size > 0) await new Promise(resolve => setImmediate(resolve));
    })(),
  );
  origin.close();
  twins.close();
});
