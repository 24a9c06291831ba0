// What a Python process of a run loads (attach/python): libraries that bring their own roots trust the world's authority
// besides them, and nothing else of the process is changed.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import t from 'tap';
import { attachedWorld } from '../kit/attached.ts';
import { command } from '../kit/command-line.ts';
import { createTestAuthority } from '../kit/test-ca.ts';

const ATTACH = join(import.meta.dirname, '..', '..', 'attach', 'python');
const there = (await command(['python3', '--version'], tmpdir())).code === 0;

t.test('Python', { skip: there ? false : 'no python3 here' }, async t => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const files: { [name: string]: string } = {};
  for (const name of ['library', 'world']) {
    files[name] = join(folder, `${name}.pem`);
    await writeFile(files[name], (await createTestAuthority(name)).pem);
  }
  const { library = '', world = '' } = files;
  const python = async (code: string, env: { readonly [name: string]: string } = {}) => {
    const set = Object.entries({ PYTHONPATH: ATTACH, NODE_EXTRA_CA_CERTS: world, ...env });
    const words = ['env', ...set.map(([name, value]) => `${name}=${value}`), 'python3', '-B', '-c', code];
    const { code: exit, out, err } = await command(words, folder);
    return exit === 0 ? out.trim() : err;
  };
  const TRUSTED = `
import ssl
context = ssl.create_default_context(cafile=${JSON.stringify(library)})
print(*sorted(dict(part[0] for part in each["subject"])["commonName"] for each in context.get_ca_certs()))`;

  t.equal(await python(TRUSTED), 'library world');
  t.equal(
    await python(
      TRUSTED.replace('ssl.create_default_context(', 'ssl.SSLContext(); context.load_verify_locations('),
    ),
    'library world',
  );
  t.equal(await python(TRUSTED, { NODE_EXTRA_CA_CERTS: '' }), 'library', 'outside of a run');
  t.equal(
    await python(TRUSTED, { NODE_EXTRA_CA_CERTS: join(folder, 'gone.pem') }),
    'library',
    'after its run',
  );
  t.match(
    await python('import ssl; ssl.create_default_context(cafile="nothing.pem")'),
    /FileNotFoundError/,
    'a mistake of the program’s stays one',
  );
  t.equal(
    await python('import sys; print("ssl" in sys.modules)'),
    'False',
    'nothing is loaded that nobody wants',
  );

  const own = join(folder, 'own');
  await mkdir(own);
  await writeFile(join(own, 'sitecustomize.py'), 'import sys\nsys.own = "there"\n');
  const both = { PYTHONPATH: [ATTACH, own].join(delimiter) };
  t.equal(
    await python('import sys; print(sys.own)', both),
    'there',
    'one that it stands in front of runs too',
  );
  t.equal(await python(TRUSTED, both), 'library world');
  await writeFile(join(own, 'sitecustomize.py'), 'import ssl\n');
  t.equal(await python(TRUSTED, both), 'library world', 'also where that one imports ssl itself');
});

t.test('[7.1] Python clients that ask for no proxy', { skip: there ? false : 'no python3 here' }, async t => {
  await using world = await attachedWorld({
    routes: [{ host: 'tw.test', path: '/v1/', vendor: 'tw', endpointVariable: 'TW_TWIN_URL' }],
  });
  const proxy = new URL(world.env['HTTPS_PROXY']!);
  const set = {
    PYTHONPATH: ATTACH,
    SSL_CERT_FILE: world.env['NODE_EXTRA_CA_CERTS']!,
    NODE_EXTRA_CA_CERTS: world.env['NODE_EXTRA_CA_CERTS']!,
    WRLD_WORLD_PROXY: proxy.href,
    NO_PROXY: 'localhost,127.0.0.1',
  };
  const python = async (code: string) => {
    const words = Object.entries(set).map(([name, value]) => `${name}=${value}`);
    const {
      code: exit,
      out,
      err,
    } = await command(['env', ...words, 'python3', '-B', '-c', code], world.folder);
    return exit === 0 ? out.trim() : err;
  };
  const TWIN = 'twin GET /acme/shop/tw/v1/x';

  const HTTP_CLIENT = `
import http.client
def get(host, path):
    connection = http.client.HTTPSConnection(host)
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()
print(get("tw.test", "/v1/x")[1])
status, text = get("no.test", "/")
print(status, text.split("\\n")[0])`;
  t.match(
    await python(HTTP_CLIENT),
    new RegExp(`^${TWIN}\n502 GET https://no.test/ is not granted.*fix: http`),
  );

  const ASYNC = `
import asyncio, ssl
async def get(host):
    reader, writer = await asyncio.open_connection(host, 443, ssl=ssl.create_default_context())
    writer.write(b"GET /v1/x HTTP/1.1\\r\\nHost: " + host.encode() + b"\\r\\nConnection: close\\r\\n\\r\\n")
    return (await reader.read()).decode().split("\\r\\n")[-1]
async def main():
    print(*await asyncio.gather(get("tw.test"), get("tw.test")), sep="\\n")
asyncio.run(main())`;
  t.equal(await python(ASYNC), `${TWIN}\n${TWIN}`, 'what asyncio connects, and so aiohttp');

  const RAW = `
import smtplib, socket
for connect in [lambda: smtplib.SMTP("mail.test", 587), lambda: socket.create_connection(("192.0.2.1", 5432)), lambda: socket.create_connection(("tw.test", 25))]:
    try:
        connect()
    except ConnectionRefusedError as error:
        print(error.errno, error.strerror)
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname()).close()
print(socket.create_connection(("localhost", server.getsockname()[1])).getpeername() == server.getsockname())
print(socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("127.0.0.1", 9)))`;
  t.match((await python(RAW)).split('\n'), [
    /^111 mail\.test:587 is not granted.*fix: http/,
    /^111 192\.0\.2\.1:5432 is not granted/,
    /^111 .*tw\.test:25 .*TW_TWIN_URL.*fix: http/,
    'True',
    'None',
  ]);

  const URLLIB3 = `
import urllib3
print(urllib3.PoolManager().request("GET", "https://tw.test/v1/x").data.decode())`;
  const there3 = (await command(['python3', '-c', 'import urllib3'], world.folder)).code === 0;
  if (there3) t.equal(await python(URLLIB3), TWIN);
  else t.comment('no urllib3 here');
});
