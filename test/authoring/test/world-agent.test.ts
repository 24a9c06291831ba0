// The agent of a test's own requests: whatever Node it runs on, each connection is asked of the world's proxy, and none is
// made to the host itself.
import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { WorldAgent } from '../../../authoring/test/world-agent.ts';

/** A proxy that answers each CONNECT as it is told, in the pieces it is told. */
async function proxy(t: Test, ...pieces: readonly string[]) {
  const asked: string[] = [];
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', async bytes => {
      asked.push(bytes.toString('latin1'));
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise(resolve => setImmediate(resolve));
      }
      if (!pieces.join('').startsWith('HTTP/1.1 200')) socket.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, place: { proxyUrl: `http://run:a%2Fb@127.0.0.1:${port}`, ca: '' } };
}

async function get(agent: WorldAgent, url: string): Promise<string> {
  const sent = request(url, { agent });
  sent.end();
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const part of answer) text += part;
  agent.destroy();
  return text;
}

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';

t.test('a host is asked of the proxy, with the run’s credentials, and its answer comes through', async t => {
  for (const pieces of [
    ['HTTP/1.1 200 Connection Established\r\n\r\n', ANSWER],
    [`HTTP/1.1 200 Connection Established\r\n\r\n${ANSWER}`],
    ['HTTP/1.1 200 Connection', ' Established\r\n\r', `\n${ANSWER.slice(0, 9)}`, ANSWER.slice(9)],
  ]) {
    const { asked, place } = await proxy(t, ...pieces);
    t.equal(await get(new WorldAgent(place, { secure: false }), 'http://vendor.test/a'), 'hi');
    const credentials = Buffer.from('run:a/b').toString('base64');
    t.equal(
      asked[0],
      `CONNECT vendor.test:80 HTTP/1.1\r\nHost: vendor.test:80\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`,
    );
  }
});

t.test('an address of IPv6 stands in brackets', async t => {
  const { asked, place } = await proxy(t, 'HTTP/1.1 200 OK\r\n\r\n', ANSWER);
  await get(new WorldAgent(place, { secure: false }), 'http://[2001:db8::1]:8080/');
  t.match(asked[0], /^CONNECT \[2001:db8::1\]:8080 HTTP\/1\.1\r\n/);
});

t.test('[7.1] what the proxy refuses at once is the error, with its words', async t => {
  const { place } = await proxy(t, 'HTTP/1.1 502 Bad Gateway\r\n\r\n', 'not granted (missing: grant)\n');
  await t.rejects(get(new WorldAgent(place, { secure: true }), 'http://vendor.test/'), {
    code: 'ERR_INVALID_PROTOCOL',
  });
  await t.rejects(get(new WorldAgent(place, { secure: false }), 'http://vendor.test/'), {
    message: /closed the connection for vendor\.test:80: HTTP\/1\.1 502[\s\S]*not granted \(missing: grant\)/,
  });
});

t.test('a proxy that is gone is an error, and nobody else is asked', async t => {
  const place = { proxyUrl: 'http://127.0.0.1:1', ca: '' };
  await t.rejects(get(new WorldAgent(place, { secure: false }), 'http://vendor.test/'), {
    code: 'ECONNREFUSED',
    port: 1,
  });
});
