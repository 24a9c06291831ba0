// What is no fetch and no request of node:http: sockets, TLS, HTTP/2, WebSockets, EventSource, datagrams. Answered by
// twins, or refused with the record and a rule that says what to do (7.2).
import t from 'tap';
import type { RefusalRecord } from '../../policy/refusal.ts';
import { refusalConsoleLine, refusalText } from '../../policy/refusal.ts';
import { attachedWorld, nodes } from '../kit/attached.ts';
import { startHttpOrigin } from '../kit/origin.ts';
import { createTestAuthority } from '../kit/test-ca.ts';

const authority = await createTestAuthority();
const granted = await startHttpOrigin({
  tls: { authority, hosts: ['granted.test'] },
  handler: (_request, response) => response.end('granted'),
});
t.teardown(() => granted.stop());
const origin = `https://granted.test:${granted.port}`;
const world = await attachedWorld(
  {
    routes: [{ host: 'tw.test', path: '/v1/', vendor: 'tw', endpointVariable: 'TW_TWIN_URL' }],
    network: { egress: [origin], writes: [], passthrough: [], ownLoopback: true },
    extraHosts: { 'granted.test': '127.0.0.1' },
    app: { hosts: ['shop.test'], upstream: 'http://127.0.0.1:9' },
  },
  authority,
);
t.teardown(() => world[Symbol.asyncDispose]());
const ws = JSON.stringify(import.meta.resolve('ws'));

type Told = { readonly message: string; readonly code: string; readonly record: RefusalRecord };
const TELL = `const tell = error => ({ message: error.message, code: error.code, record: error.worldRefusal });
const fails = socket => new Promise(resolve => socket.on('error', error => resolve(tell(error))).on('connect', () => resolve('connected')));
`;

for (const node of nodes()) {
  const run = async (program: string, options: object = {}) =>
    await world.run(TELL + program, { node: node.path, ...options });

  t.test(`Node ${node.version}`, async t => {
    t.test('[7.1, 7.2] sockets of a program’s own are refused where they are made', async t => {
      const asks: { readonly [ask: string]: string } = {
        "net.connect(443, 'tw.test')": 'raw-socket-twinned',
        "net.connect({ host: 'tw.test', port: 80 })": 'raw-socket-twinned',
        "tls.connect(443, 'tw.test')": 'raw-socket-twinned',
        "net.connect(443, 'shop.test')": 'raw-socket-app',
        [`net.connect(${granted.port}, 'granted.test')`]: 'inspected-transport',
        [`tls.connect({ host: 'granted.test', port: ${granted.port} })`]: 'inspected-transport',
        [`http2.connect('${origin}')`]: 'inspected-transport',
        "new net.Socket().connect(25, 'mail.test')": 'not-granted',
        "tls.connect(465, 'mail.test')": 'not-granted',
        "http2.connect('https://no.test')": 'not-granted',
        "net.connect({ host: '192.0.2.1', port: 587, servername: 'tw.test' })": 'unclaimed-path',
        "net.connect(6379, '192.0.2.1')": 'not-granted',
      };
      const { said, stderr } = await run(
        `import net from 'node:net'; import tls from 'node:tls'; import http2 from 'node:http2';
        const told = [];
        for (const connect of [${Object.keys(asks)
          .map(ask => `() => ${ask}`)
          .join()}]) told.push(await fails(connect()));
        say(told);`,
      );
      const lines = stderr.split('\n').filter(line => line.startsWith('[twin-inject]'));
      for (const [i, [ask, rule]] of Object.entries(asks).entries()) {
        const { message, code, record } = (said as Told[])[i]!;
        t.equal(record?.rule, rule, `${ask}: ${message}`);
        t.equal(message, refusalText(record));
        t.equal(code, 'ECONNREFUSED');
        t.equal(lines[i], refusalConsoleLine(record, record.target), 'once, on the console');
      }
      t.equal(lines.length, Object.keys(asks).length);
      t.match((said as Told[])[0]!.message, 'TW_TWIN_URL', 'it names the variable');
    });

    t.test('HTTP/2 to a twin is answered', async t => {
      const { said } = await run(
        `import http2 from 'node:http2';
        const session = http2.connect('https://tw.test');
        const stream = session.request({ ':path': '/v1/x' });
        let text = '';
        for await (const chunk of stream) text += chunk;
        say([text, session.socket.alpnProtocol, session.socket.authorized]);`,
      );
      t.strictSame(said, ['twin GET /acme/shop/tw/v1/x', 'h2', true]);
    });

    t.test('[7.1] WebSockets and EventSource hear of a refusal as an error', async t => {
      const { said } = await run(
        `import { WebSocket as Ws } from ${ws};
        const heard = socket => new Promise(resolve => socket.addEventListener('error', ({ error, message }) => resolve({ message: error?.message ?? message, record: error?.worldRefusal })));
        const told = { ws: await heard(new Ws('wss://no.test/')), own: null };
        if (globalThis.WebSocket !== undefined) told.own = await heard(new WebSocket('wss://no.test/'));
        say(told);`,
      );
      const { ws: own, own: builtIn } = said as { readonly ws: Told; readonly own: Told | null };
      t.equal(own.record.rule, 'not-granted');
      t.equal(own.message, refusalText(own.record));
      if (builtIn === null) t.pass('this Node has no WebSocket');
      else t.strictSame([builtIn.record.rule, builtIn.message], ['not-granted', refusalText(builtIn.record)]);
      t.match(world.proxy.refusals.at(-1), { rule: 'not-granted', target: 'https://no.test/' });
    });

    t.test('datagrams are refused, to this machine they are sent', async t => {
      const { said } = await run(
        `import dgram from 'node:dgram';
        const socket = dgram.createSocket('udp4');
        const sent = (...to) => new Promise(resolve => socket.send('x', ...to, error => resolve(error ? tell(error) : 'sent')));
        const own = dgram.createSocket('udp4').bind(0, '127.0.0.1');
        await new Promise(resolve => own.once('listening', resolve));
        const heard = new Promise(resolve => own.once('message', text => resolve(String(text))));
        const told = [await sent(53, '192.0.2.53'), await sent(443, 'tw.test'), await sent(own.address().port)];
        const connected = dgram.createSocket('udp4');
        const error = new Promise(resolve => connected.on('error', error => resolve(tell(error))));
        connected.connect(8125, 'no.test');
        say([...told, await heard, await error]);`,
      );
      const [address, twin, loopback, heard, connected] = said as [Told, Told, string, string, Told];
      t.equal(address.record.rule, 'not-granted');
      t.equal(twin.record.rule, 'raw-socket-twinned');
      t.strictSame([loopback, heard], ['sent', 'x']);
      t.equal(connected.record.rule, 'not-granted');
    });

    t.test('a socket in the tunnel is a socket like any other', async t => {
      const { said } = await run(
        `import https from 'node:https'; import tls from 'node:tls';
        const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
        const ask = () => new Promise((resolve, reject) => https.get('https://tw.test/v1/x', { agent }, answer => { const { socket } = answer; answer.resume().on('end', () => setImmediate(resolve, [socket, answer.req.reusedSocket])); }).on('error', reject));
        const [first, fresh] = await ask();
        const [second, reused] = await ask();
        agent.destroy();
        const socket = tls.connect({ host: 'tw.test', port: 443, ALPNProtocols: ['http/1.1'] });
        socket.setNoDelay(true).setKeepAlive(true, 1000).setTimeout(20000);
        socket.write('GET /v1/y HTTP/1.1\\r\\nHost: tw.test\\r\\nConnection: close\\r\\n\\r\\n');
        const { subject } = await new Promise(resolve => socket.once('secureConnect', () => resolve(socket.getPeerCertificate())));
        let text = '';
        for await (const chunk of socket) text += chunk;
        say({ same: first === second, fresh, reused, encrypted: first.encrypted, subject, protocol: socket.alpnProtocol, text, read: socket.bytesRead > 0 });`,
      );
      t.match(said, {
        same: true,
        fresh: false,
        reused: true,
        encrypted: true,
        protocol: 'http/1.1',
        read: true,
      });
      t.match((said as { text: string }).text, 'twin GET /acme/shop/tw/v1/y');
    });

    t.test('connections that are given up leave nothing behind', async t => {
      const { said } = await run(
        `import net from 'node:net'; import tls from 'node:tls';
        for (let i = 0; i < 20; i++) {
          tls.connect({ host: 'tw.test', port: 443, ALPNProtocols: ['h2'] }).destroy();
          const socket = net.connect(443, 'tw.test').on('error', () => {});
          setImmediate(() => socket.destroy());
        }
        const controller = new AbortController();
        const aborted = fetch('https://tw.test/v1/x', { signal: controller.signal }).catch(error => error.name);
        controller.abort();
        process.on('exit', () => console.log(JSON.stringify(['over', name])));
        const name = await aborted;`,
      );
      t.strictSame(said, ['over', 'AbortError']);
    });
  });
}
