// What stands in front of a host and around it (examples/hosting), tried as far as this machine has the programs: TLS by Caddy and
// nginx with worlds at origins of their own, streams and upgrades; the unit by systemd; words and health check by `wrld` itself.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'node:tls';
import t from 'tap';
import { WebSocket } from 'ws';
import { readArguments } from '../../cli/command.ts';
import { host as hostCommand } from '../../cli/commands/host.ts';
import { within } from '../kit/deadline.ts';
import { freePort } from '../kit/free-port.ts';
import { askHost, bareWorld, hostDirectory, startHostQuietly } from '../kit/many-worlds.ts';
import { createTestAuthority } from '../kit/test-ca.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'examples', 'hosting');
const DOMAIN = 'worlds.example.com';
const OWN = `shop--acme.${DOMAIN}`;

const example = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

function program(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map(folder => join(folder, name)).find(existsSync);
}

/** Every one of `changes` is in the example: what is tried is what stands there. */
function changed(
  t: Tap.Test,
  file: string,
  changes: readonly (readonly [was: string, is: string])[],
): string {
  let whole = example(file);
  for (const [was, is] of changes) {
    t.ok(whole.includes(was), `${file} has ${was}`);
    whole = whole.replaceAll(was, is);
  }
  return whole;
}

type Place = {
  readonly port: number;
  readonly upstream: number;
  readonly cert: string;
  readonly key: string;
  readonly folder: string;
};

/** How a front is started with its example. */
type Front = { readonly name: string; readonly start: (t: Tap.Test, place: Place) => readonly string[] };

declare namespace Tap {
  type Test = { ok(value: unknown, why: string): void };
}

const FRONTS: readonly Front[] = [
  {
    name: 'caddy',
    start: (t, { port, upstream, cert, key, folder }) => {
      const site = changed(t, 'Caddyfile', [
        ['/etc/ssl/worlds/fullchain.pem', cert],
        ['/etc/ssl/worlds/privkey.pem', key],
        ['127.0.0.1:4000', `127.0.0.1:${upstream}`],
      ]);
      const file = join(folder, 'Caddyfile');
      const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n\tstorage file_system ${folder}/storage\n}\n`;
      writeFileSync(file, options + site);
      return ['run', '--adapter', 'caddyfile', '--config', file];
    },
  },
  {
    name: 'nginx',
    start: (t, { port, upstream, cert, key, folder }) => {
      const site = changed(t, 'nginx.conf', [
        ['listen 443 ', `listen 127.0.0.1:${port} `],
        ['/etc/ssl/worlds/fullchain.pem', cert],
        ['/etc/ssl/worlds/privkey.pem', key],
        ['http://127.0.0.1:4000', `http://127.0.0.1:${upstream}`],
      ]);
      const file = join(folder, 'whole.conf');
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        kind => `${kind}_temp_path ${folder}/${kind};`,
      );
      writeFileSync(
        file,
        `${process.getuid?.() === 0 ? 'user root; ' : ''}daemon off; pid ${folder}/pid; error_log stderr warn; worker_processes 1; events {}\nhttp { access_log off; ${temporary.join(' ')}\n${site}\n}\n`,
      );
      return ['-e', 'stderr', '-p', folder, '-c', file];
    },
  },
];

/** Until it takes connections, or has ended. */
async function listens(child: ChildProcess, port: number, ca: string, said: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended: ${said()}`);
    const socket = connect({ host: '127.0.0.1', port, servername: DOMAIN, ca });
    const there = await new Promise<boolean>(resolve => {
      socket.once('secureConnect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (there) return;
    await pause(20);
  }
}

for (const { name, start } of FRONTS) {
  const binary = program(name);
  const skip = binary === undefined ? `${name} is not installed` : false;
  t.test(`[4.10, 5.3-2] worlds behind ${name}, each at its own origin`, { skip }, async t => {
    const directory = await hostDirectory(t);
    const folder = await hostDirectory(t);
    const { token } = await bareWorld(directory, 'acme/shop', ['stripe', 'smtp']);
    await using host = await startHostQuietly(directory, {
      baseUrl: `https://${DOMAIN}`,
      suffix: `.${DOMAIN}`,
    });
    const authority = await createTestAuthority();
    const leaf = await authority.leaf([DOMAIN, `*.${DOMAIN}`]);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(cert, leaf.cert);
    writeFileSync(key, leaf.key);
    mkdirSync(join(folder, 'storage'));
    const port = await freePort();
    const upstream = Number(new URL(host.listensAt).port);
    const args = start(t, { port, upstream, cert, key, folder });
    const child = spawn(binary!, args, {
      cwd: folder,
      env: { HOME: folder, PATH: process.env['PATH'] },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', chunk => {
      said += chunk;
    });
    t.teardown(async () => {
      if (child.exitCode === null && child.kill('SIGTERM'))
        await within(`${name} to end`, once(child, 'exit'));
    });
    await within(
      `${name} to listen`,
      listens(child, port, authority.pem, () => said),
    );

    type Ask = {
      readonly at?: string;
      readonly body?: string | Buffer;
      readonly headers?: { readonly [name: string]: string };
    };
    const open = async (
      method: string,
      path: string,
      { at = DOMAIN, body = '', headers = {} }: Ask = {},
    ): Promise<IncomingMessage> => {
      const outgoing = request({
        ...{ host: '127.0.0.1', port, servername: at, ca: authority.pem, method, path, agent: false },
        headers: { host: at, 'content-length': Buffer.byteLength(body), ...headers },
      });
      outgoing.end(body);
      const [response] = (await within('an answer', once(outgoing, 'response'))) as [IncomingMessage];
      return response;
    };
    const ask = async (
      ...asked: Parameters<typeof open>
    ): Promise<{ status: number; headers: IncomingMessage['headers']; json: unknown; text: string }> => {
      const response = await open(...asked);
      const whole = await text(response);
      let json: unknown = null;
      try {
        json = JSON.parse(whole);
      } catch {}
      return { status: response.statusCode!, headers: response.headers, json, text: whole };
    };
    const mine = { 'x-wrld-token': token };
    const form = { ...mine, 'content-type': 'application/x-www-form-urlencoded' };

    t.match(await ask('GET', '/-/ping'), { status: 200, json: { worlds: ['acme/shop'] } });
    t.match(await ask('GET', '/-/console/'), { status: 200, text: /wrld/ });
    const admin = { authorization: `Bearer ${host.adminToken.secret.reveal()}` };
    t.match(await ask('GET', '/-/worlds', { headers: admin }), {
      json: { worlds: [{ base: `https://${DOMAIN}/acme/shop` }] },
    });
    t.match(
      await ask('GET', '/-/worlds', { headers: admin, at: OWN }),
      { status: 404 },
      'a world’s origin is that world’s alone',
    );
    t.match(await ask('GET', '/-/ghost/none/map', { at: `none--ghost.${DOMAIN}` }), { status: 404 });

    t.match(await ask('POST', '/-/acme/shop/session', { headers: mine }), {
      status: 409,
      json: { origin: `https://${OWN}` },
    });
    const session = await ask('POST', '/-/acme/shop/session', { headers: mine, at: OWN });
    t.match(session, { status: 200, json: { scope: 'write', origin: `https://${OWN}` } });
    const cookie = session.headers['set-cookie']![0]!.split(';')[0]!;
    t.match(cookie, /^__Host-/);
    t.match(await ask('GET', '/-/acme/shop/map', { headers: { cookie }, at: OWN }), { status: 200 });
    t.match(
      await ask('GET', '/-/acme/shop/map', { headers: { cookie } }),
      { status: 401 },
      'and nowhere else',
    );

    const events = await open('GET', '/-/acme/shop/events', { headers: mine, at: OWN });
    t.match(events.headers['content-type'], /^text\/event-stream/);
    const heard = (async () => {
      let whole = '';
      for await (const chunk of events) {
        whole += chunk;
        if (/event: entry/.test(whole)) return;
      }
    })();
    t.match(await ask('POST', '/acme/shop/stripe/v1/customers', { headers: form, body: 'email=a@b.test' }), {
      status: 200,
    });
    await within('the news of it, while the stream is open', heard);
    events.destroy();

    const { json } = await ask('GET', '/acme/shop/.well-known/wrld-world', { headers: mine });
    const { url } = (json as { streams: { smtp: { url: string } } }).streams.smtp;
    t.match(url, new RegExp(`^wss?://${DOMAIN.replaceAll('.', '\\.')}/`));
    const socket = new WebSocket(`wss://127.0.0.1:${port}${new URL(url).pathname}`, {
      ...{ servername: DOMAIN },
      ca: authority.pem,
      headers: { host: DOMAIN },
    });
    await within('the upgrade', once(socket, 'open'));
    socket.send(token);
    const [greeting] = await within('the mail server’s greeting', once(socket, 'message'));
    t.match(String(greeting), /^220 /);
    socket.terminate();

    const large = `description=${'x'.repeat(3_900_000)}`;
    const answer = await ask('POST', '/acme/shop/stripe/v1/customers', { headers: form, body: large });
    t.match(answer.headers['content-type'], /json/, 'it is the world that judges it');
    const odd = '/acme/shop/stripe/v1/customers/cus%2F%20x?a=%26&a=b//c';
    const direct = await askHost({ baseUrl: host.listensAt }, 'GET', odd, { token });
    const { message } = direct.json.error;
    const through = await ask('GET', odd, { headers: mine });
    t.match(through.json, { error: { message } }, 'a path is passed on as it was sent');
  });
}

/** Of `wrld host …`, as they stand in an example. */
const words = (line: string): readonly string[] => line.split(' ').slice(line.split(' ').indexOf('host') + 1);

t.test('the words of the examples are ones that `wrld host` takes', t => {
  const unit = /^ExecStart=(.*)$/m.exec(example('wrld-host.service'))![1]!;
  const container = example('Containerfile');
  const run = /wrld-host (host .*)$/m.exec(container)![1]!;
  const command = (JSON.parse(/^CMD (\[.*)$/m.exec(container)![1]!) as string[]).join(' ');
  for (const line of [unit, run, command])
    t.match(readArguments(hostCommand, words(line)), { ok: true }, line);
  for (const file of ['Caddyfile', 'nginx.conf']) {
    const line = /`(wrld host [^`]+)`/.exec(example(file))![1]!;
    t.match(
      readArguments(hostCommand, words(line)),
      { ok: true, given: { values: new Map([['suffix', `.${DOMAIN}`]]) } },
      file,
    );
  }
  t.end();
});

t.test('the socket is where the unit’s host listens', t => {
  const unit = /^ExecStart=(.*)$/m.exec(example('wrld-host.service'))![1]!;
  const port = / --port (\d+)/.exec(unit)![1];
  t.equal(/^ListenStream=(.*)$/m.exec(example('wrld-host.socket'))![1], `127.0.0.1:${port}`);
  t.end();
});

t.test('the container’s health check passes while the host answers, and fails when it does not', async t => {
  const [node, ...args] = JSON.parse(
    /HEALTHCHECK .*?CMD (\[.*)$/m.exec(example('Containerfile'))![1]!,
  ) as string[];
  t.equal(node, 'node');
  const check = async (port: string): Promise<number | null> => {
    const child = spawn(
      process.execPath,
      args.map(arg => arg.replace('4000', port)),
      { stdio: 'ignore' },
    );
    const [code] = await within('the check', once(child, 'exit'), 20_000);
    return code;
  };
  const host = await startHostQuietly(await hostDirectory(t));
  const { port } = new URL(host.baseUrl);
  t.equal(await check(port), 0);
  await host.close();
  t.equal(await check(port), 1);
});

const systemd = program('systemd-analyze');

t.test(
  'systemd takes the units',
  { skip: systemd === undefined ? 'systemd-analyze is not installed' : false },
  async t => {
    const folder = await hostDirectory(t);
    const files = ['wrld-host.service', 'wrld-host.socket'].map(name => join(folder, name));
    // The program of the example is not installed here.
    writeFileSync(files[0]!, changed(t, 'wrld-host.service', [['/usr/bin/wrld ', `${process.execPath} `]]));
    writeFileSync(files[1]!, example('wrld-host.socket'));
    const said = execFileSync(systemd!, ['verify', '--man=no', ...files], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.equal(said, '');
  },
);
