// Every client that is known to pass by proxies and hooks, in a contained run, with a stranger in the vendor's place who
// counts what reaches him: he stays alone. Each is answered by the twin, or fails before it has said anything.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { findOldNode, openWorlds, startWords, wrldWords } from '../kit/command-line.ts';
import { cannotContain, lacks } from '../kit/contained.ts';
import { openStranger } from '../kit/stranger.ts';

const skip = await cannotContain();
const worlds = await openWorlds();
t.teardown(worlds.remove);

const HOST = 'api.stripe.com';
const PATH = '/v1/customers';
const URL = `https://${HOST}${PATH}`;
const BASIC = `Basic ${Buffer.from('sk_test_x:').toString('base64')}`;
const ANSWERED = /"url": ?"\/v1\/customers"/;

const HTTP_CLIENT = `
import http.client
c = http.client.HTTPSConnection("${HOST}")
c.request("GET", "${PATH}", headers={"Authorization": "${BASIC}"})
print(c.getresponse().read().decode())`;
const URLLIB3 = `
import urllib3
print(urllib3.PoolManager().request("GET", "${URL}", headers={"Authorization": "${BASIC}"}).data.decode())`;
const REQUESTS = `
import requests
s = requests.Session()
s.trust_env = False
print(s.get("${URL}", headers={"Authorization": "${BASIC}"}).text)`;
const AIOHTTP = `
import aiohttp, asyncio
async def main():
    async with aiohttp.ClientSession() as s:
        async with s.get("${URL}", headers={"Authorization": "${BASIC}"}) as r:
            print(await r.text())
asyncio.run(main())`;
const GO = `
package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	request, _ := http.NewRequest("GET", "${URL}", nil)
	request.SetBasicAuth("sk_test_x", "")
	answer, err := (&http.Client{Transport: &http.Transport{}}).Do(request)
	if err != nil {
		panic(err)
	}
	io.Copy(os.Stdout, answer.Body)
}`;
const JAVA = `
import java.net.*;
import java.net.http.*;
class Read {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create("${URL}")).header("Authorization", "${BASIC}").build();
    System.out.println(HttpClient.newBuilder().build().send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
}`;
const NODE_TLS = `
const socket = require('tls').connect(443, '${HOST}', { servername: '${HOST}' }, () =>
  socket.write('GET ${PATH} HTTP/1.1\\r\\nHost: ${HOST}\\r\\nAuthorization: ${BASIC}\\r\\nConnection: close\\r\\n\\r\\n'));
socket.on('data', data => process.stdout.write(data));`;
const NODE_HTTP2 = `
const client = require('http2').connect('https://${HOST}');
const request = client.request({ ':path': '${PATH}', authorization: '${BASIC}' });
request.on('data', data => process.stdout.write(data)).on('end', () => client.close());`;
const NODE_AGENT = `
const https = require('https');
https.get('${URL}', { agent: new https.Agent(), headers: { authorization: '${BASIC}' } }, answer => answer.pipe(process.stdout));`;
const PHP = `echo file_get_contents('${URL}', false, stream_context_create(['http' => ['header' => 'Authorization: ${BASIC}']]));`;
const RUBY = `
http = Net::HTTP.new('${HOST}', 443, nil)
http.use_ssl = true
puts http.get('${PATH}', 'Authorization' => '${BASIC}').body`;

t.test('the stranger in the vendor’s place stays alone', { skip }, async t => {
  const folder = await worlds.make('stranger');
  await writeFile(join(folder, 'Read.java'), JAVA);
  await mkdir(join(folder, 'go'));
  await writeFile(join(folder, 'go', 'read.go'), GO);
  await using stranger = await openStranger([HOST, 'files.stripe.com', 'example.com']);
  const up = stranger.words(wrldWords('world', 'up', '--json'), folder);
  await using _world = await startWords(folder, up);

  const open = await stranger.run(
    wrldWords('world', 'run', '--open', '--', 'env', '-i', '/usr/bin/curl', '-sS', '-m', '5', URL),
    folder,
  );
  t.equal(stranger.seen, 1, `without containment one such client reaches him: ${open.err}`);

  const node = process.execPath;
  const oldNode = await findOldNode();
  const none = 'not on this machine';
  const clients: readonly (readonly [
    name: string,
    missing: string | false,
    words: readonly string[],
    /** With nothing in its environment; a runtime with roots of its own then trusts nobody here. */
    bare: 'answered' | 'untrusting',
  ])[] = [
    ['curl --noproxy', false, ['curl', '-sS', '--noproxy', '*', '-u', 'sk_test_x:', URL], 'answered'],
    ['Python’s http.client', await lacks('python3'), ['python3', '-c', HTTP_CLIENT], 'answered'],
    ['urllib3', await lacks('python3', '-c', 'import urllib3'), ['python3', '-c', URLLIB3], 'answered'],
    ['requests', await lacks('python3', '-c', 'import requests'), ['python3', '-c', REQUESTS], 'answered'],
    ['aiohttp', await lacks('python3', '-c', 'import aiohttp'), ['python3', '-c', AIOHTTP], 'answered'],
    [
      'Go with a transport of its own',
      await lacks('go', 'version'),
      [join(folder, 'go', 'read')],
      'answered',
    ],
    ['Java’s HttpClient', await lacks('java'), ['java', 'Read.java'], 'answered'],
    ['PHP’s streams', await lacks('php'), ['php', '-r', PHP], 'answered'],
    ['Ruby without a proxy', await lacks('ruby'), ['ruby', '-rnet/http', '-e', RUBY], 'answered'],
    ['Node’s tls', false, [node, '-e', NODE_TLS], 'untrusting'],
    ['Node’s http2', false, [node, '-e', NODE_HTTP2], 'untrusting'],
    ['an older Node’s own agent', oldNode === null && none, [oldNode ?? '', '-e', NODE_AGENT], 'untrusting'],
  ];
  if ((await lacks('go', 'version')) === false)
    await stranger.run(
      ['go', 'build', '-o', join(folder, 'go', 'read'), join(folder, 'go', 'read.go')],
      folder,
    );
  for (const [name, missing, words, bare] of clients) {
    await t.test(name, { skip: missing }, async t => {
      const attached = await stranger.run(wrldWords('world', 'run', '--contained', '--', ...words), folder);
      t.match(attached.out, ANSWERED, attached.err);
      const { PATH: path = '', HOME: home = '' } = process.env;
      const empty = ['env', '-i', `PATH=${path}`, `HOME=${home}`, ...words];
      const cleaned = await stranger.run(wrldWords('world', 'run', '--contained', '--', ...empty), folder);
      if (bare === 'answered') t.match(cleaned.out, ANSWERED, cleaned.err);
      else t.match(cleaned.err, /certificate/i, 'its TLS fails; nothing was said');
      t.equal(stranger.seen, 1);
    });
  }

  const browser = (await lacks('chromium')) || (await lacks('sh', '-c', 'command -v certutil'));
  await t.test('Chromium, by the roots of its user’s home', { skip: browser }, async t => {
    const store = join(folder, 'home', '.pki', 'nssdb');
    await mkdir(store, { recursive: true });
    await stranger.run(['certutil', '-N', '-d', `sql:${store}`, '--empty-password'], folder);
    const home = ['env', `HOME=${join(folder, 'home')}`];
    const page = [
      'chromium',
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--dump-dom',
      'https://example.com/',
    ];
    const words = wrldWords(
      'world',
      'run',
      '--contained',
      '--',
      'env',
      '-i',
      'PATH=/usr/bin:/bin',
      ...home.slice(1),
      ...page,
    );
    const ended = await stranger.run([...home, ...words], folder);
    t.match(ended.out, /Refused by the world: not-granted/, ended.err.slice(-400));
    t.equal(stranger.seen, 1);
  });
});
