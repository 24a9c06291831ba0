// Ruby and PHP programs of a run whose clients ask for no proxy (attach/ruby, attach/php), where the language is here.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { attachedWorld } from '../kit/attached.ts';
import { command } from '../kit/command-line.ts';

const ATTACH = join(import.meta.dirname, '..', '..', 'attach');
const here = async (program: string): Promise<false | string> =>
  (await command([program, '--version'], ATTACH)).code === 0 ? false : `no ${program} here`;

const world = await attachedWorld({
  routes: [{ host: 'tw.test', path: '/v1/', vendor: 'tw', endpointVariable: 'TW_TWIN_URL' }],
});
t.teardown(() => world[Symbol.asyncDispose]());
const ca = world.env['NODE_EXTRA_CA_CERTS']!;
const set = { WRLD_WORLD_PROXY: world.env['HTTPS_PROXY']!, NODE_EXTRA_CA_CERTS: ca, SSL_CERT_FILE: ca };
const run = async (more: object, ...words: readonly string[]): Promise<string> => {
  const variables = Object.entries({ ...set, ...more }).map(([name, value]) => `${name}=${value}`);
  const { code, out, err } = await command(['env', ...variables, ...words], world.folder);
  return code === 0 ? out.trim() : `${code} ${out}${err}`;
};
const TWIN = 'twin GET /acme/shop/tw/v1/x';

t.test('[7.1] Ruby', { skip: await here('ruby') }, async t => {
  const empty = join(world.folder, 'empty.pem');
  writeFileSync(empty, world.authority.pem);
  const said = await run(
    { RUBYOPT: `-r${join(ATTACH, 'ruby', 'wrld_attach.rb')}` },
    'ruby',
    '-e',
    `require "net/http"
    get = lambda do |host, path, &block|
      http = Net::HTTP.new(host, 443, nil)
      http.use_ssl = true
      block&.call(http)
      http.start { |open| open.get(path).body }
    end
    puts get.("tw.test", "/v1/x")
    puts get.("tw.test", "/v1/x") { |http| http.ca_file = ${JSON.stringify(empty)} }
    puts get.("no.test", "/").lines.first
    begin
      TCPSocket.new("mail.test", 587)
    rescue Errno::ECONNREFUSED => error
      puts error.message
    end
    server = TCPServer.new("127.0.0.1", 0)
    puts TCPSocket.open("localhost", server.addr[1]).peeraddr[1] == server.addr[1]`,
  );
  t.match(said.split('\n'), [
    TWIN,
    TWIN,
    /^GET https:\/\/no\.test\/ is not granted.*fix: http/,
    /^Connection refused - mail\.test:587 is not granted.*fix: http/,
    'true',
  ]);
});

t.test('[7.1] PHP', { skip: await here('php') }, async t => {
  const ini = join(world.folder, 'php');
  mkdirSync(ini);
  writeFileSync(
    join(ini, 'wrld.ini'),
    `openssl.cafile="${ca}"\nauto_prepend_file="${join(ATTACH, 'php', 'attach.php')}"\n`,
  );
  const asks = async (code: string): Promise<string> => {
    const program = join(world.folder, 'asks.php');
    writeFileSync(program, `<?php ${code}`);
    return await run({ PHP_INI_SCAN_DIR: `:${ini}` }, 'php', program);
  };
  t.equal(await asks("echo file_get_contents('https://tw.test/v1/x');"), TWIN);
  t.equal(await asks("echo file_get_contents('http://tw.test/v1/x');"), TWIN);
  t.match(
    await asks(
      "stream_context_set_default(['http' => ['ignore_errors' => true]]); echo file_get_contents('https://no.test/');",
    ),
    /^GET https:\/\/no\.test\/ is not granted.*fix: http/,
  );
});
