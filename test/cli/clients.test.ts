// Real clients of each language on this machine, in one world: through the proxy to the twin, with the variables
// of `world run` and nothing else.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { command, type Ended, findOldNode, openWorlds, startUp, wrld } from '../kit/command-line.ts';

const STRIPE = join(import.meta.dirname, '..', '..', 'node_modules', 'stripe', 'esm', 'stripe.esm.node.js');

const worlds = await openWorlds();
t.teardown(worlds.remove);
const oldNode = await findOldNode();

/** `WRLD_SLOW_TESTS=1 npm test` runs them too. */
const SLOW = process.env['WRLD_SLOW_TESTS'] === '1';

// Each prints the customer whose id is its first argument.
const PERL = `
my $url = 'https://api.stripe.com/v1/customers/' . $ARGV[0];
my $answer = HTTP::Tiny->new(verify_SSL => 1)->get($url, { headers => { Authorization => 'Bearer sk_test_x' } });
print $answer->{content};`;

const RUBY = `
url = URI("https://api.stripe.com/v1/customers/#{ARGV[0]}")
puts Net::HTTP.get(url, { "Authorization" => "Bearer sk_test_x" })`;

const PHP = `
$handle = curl_init('https://api.stripe.com/v1/customers/' . $argv[1]);
curl_setopt($handle, CURLOPT_USERPWD, 'sk_test_x:');
curl_exec($handle);
fwrite(STDERR, curl_error($handle));`;

const JAVA = `
import java.net.*;
import java.net.http.*;
class Read {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create("https://api.stripe.com/v1/customers/" + args[0]))
        .header("Authorization", "Bearer sk_test_x").build();
    var client = HttpClient.newBuilder().proxy(ProxySelector.getDefault()).build();
    System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    var connection = new URL("https://api.stripe.com/v1/customers/" + args[0]).openConnection();
    connection.setRequestProperty("Authorization", "Bearer sk_test_x");
    connection.getInputStream().transferTo(System.out);
  }
}`;

const GO = `
package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	request, _ := http.NewRequest("GET", "https://api.stripe.com/v1/customers/"+os.Args[1], nil)
	request.SetBasicAuth("sk_test_x", "")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	io.Copy(os.Stdout, answer.Body)
}`;

t.test('every common client reaches the twin', async t => {
  const folder = await worlds.make('clients', {
    runtime: { network: { egress: ['https://rates.example.com/v1/'] } },
  });
  await using world = await startUp(folder);
  const run = (...words: readonly string[]): Promise<Ended> => wrld(folder, 'world', 'run', '--', ...words);
  const url = 'https://api.stripe.com/v1/customers';
  const made = await run('curl', '-sS', '--fail', '-u', 'sk_test_x:', url, '-d', 'email=ada@example.com');
  t.equal(made.code, 0, made.err);
  const { id } = JSON.parse(made.out) as { readonly id: string };
  t.match(id, /^cus_/, 'curl makes a customer');

  const script = `
    import Stripe from ${JSON.stringify(STRIPE)};
    const stripe = new Stripe('sk_test_x');
    const { email } = await stripe.customers.retrieve(process.argv[1]);
    const answer = await fetch('${url}/' + process.argv[1], { headers: { authorization: 'Bearer sk_test_x' } });
    console.log(email, (await answer.json()).email);`;
  const python = `
import base64, sys, urllib.request
key = base64.b64encode(b"sk_test_x:").decode()
request = urllib.request.Request("${url}/" + sys.argv[1], headers={"Authorization": "Basic " + key})
print(urllib.request.urlopen(request).read().decode())`;
  const requests = `
import requests, sys
print(requests.get("${url}/" + sys.argv[1], auth=("sk_test_x", "")).text)`;
  await writeFile(join(folder, 'Read.java'), JAVA);
  await writeFile(join(folder, 'read.go'), GO);
  const clients: readonly (readonly [name: string, probe: readonly string[], words: readonly string[]])[] = [
    [
      'the stripe SDK and fetch on this Node',
      [process.execPath, '-v'],
      [process.execPath, '--input-type=module', '-e', script, id],
    ],
    [
      'the stripe SDK and fetch on an older Node',
      [oldNode ?? 'no-old-node', '-v'],
      [oldNode ?? '', '--input-type=module', '-e', script, id],
    ],
    [
      'wget',
      ['wget', '--version'],
      ['wget', '-qO-', '--header=Authorization: Bearer sk_test_x', `${url}/${id}`],
    ],
    ['Python’s urllib', ['python3', '--version'], ['python3', '-c', python, id]],
    ['Python’s requests', ['python3', '-c', 'import requests'], ['python3', '-c', requests, id]],
    [
      'Perl',
      ['perl', '-MHTTP::Tiny', '-MIO::Socket::SSL', '-e', '1'],
      ['perl', '-MHTTP::Tiny', '-e', PERL, id],
    ],
    ['Ruby', ['ruby', '--version'], ['ruby', '-rnet/http', '-e', RUBY, id]],
    ['PHP', ['php', '-r', 'exit(function_exists("curl_init") ? 0 : 1);'], ['php', '-r', PHP, id]],
    ['Java', ['java', '--version'], ['java', 'Read.java', id]],
    // Go compiles its HTTP client first: half a minute where its cache is cold.
    ['Go', [SLOW ? 'go' : 'false', 'version'], ['go', 'run', 'read.go', id]],
  ];
  for (const [name, probe, words] of clients) {
    const there = (await command(probe, folder)).code === 0;
    const why = name === 'Go' && !SLOW ? 'WRLD_SLOW_TESTS=1 runs it' : 'not on this machine';
    await t.test(name, { skip: there ? false : why }, async t => {
      const ended = await run(...words);
      t.equal(ended.code, 0, ended.err);
      t.match(ended.out, /ada@example\.com/);
    });
  }

  await t.test('git and its own CA setting: a refusal and no certificate error', async t => {
    const ended = await run('git', 'ls-remote', 'https://git.example.com/x.git');
    t.match(ended.err, /502/);
    t.notMatch(ended.err, /certificate/i);
  });

  await t.test('[7.2 not-granted] what nobody granted does not leave, and status lists it', async t => {
    const ended = await run('curl', '-sS', '-i', '-X', 'POST', 'https://rates.example.com/v1/rates');
    t.match(ended.out, /^HTTP\/1\.1 502 /m);
    t.match(ended.out, /^x-wrld-world-refusal: grant\r$/im);
    t.match(ended.out, /"grantField":"runtime\.network\.writes"/);
    const status = await wrld(folder, 'world', 'status', '--json');
    t.equal(status.code, 0, status.err);
    const read = JSON.parse(status.out);
    t.match(read, {
      up: true,
      name: 'acme/shop',
      worldUrl: world.up.worldUrl,
      pid: world.up.pid,
      proxyPid: world.up.proxyPid,
      clock: { frozen: false },
      twins: [{ twin: 'stripe', position: 1, resources: [{ type: 'customer', count: 1 }] }],
      config: { fault: null },
    });
    t.ok(read.refusals.some((one: { record: { rule: string } }) => one.record.rule === 'not-granted'));
    t.notMatch(status.out, /tok_/, 'no token is shown');
    const people = await wrld(folder, 'world', 'status');
    t.match(people.out, /acme\/shop[\s\S]*stripe +1[\s\S]*not-granted/);
  });

  await t.test('loopback is reached directly', async t => {
    const server = createServer((_request, response) => response.end('own'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    t.equal((await run('curl', '-sS', `http://127.0.0.1:${port}/`)).out, 'own');
  });

  await t.test('--sandbox wants a sandbox', async t => {
    const ended = await wrld(folder, 'world', 'run', '--sandbox', '--', 'true');
    t.equal(ended.code, 1);
    t.match(ended.err, /is no sandbox/);
  });
});
