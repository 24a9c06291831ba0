// A host whose worlds are in shards (4.10): that a world answers as it does anywhere, and what one that ends or holds up its
// process takes with it. A shard starts as a process does, so what waits for one is given the time of a command.
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { WebSocket } from 'ws';
import type { RunningHost } from '../../../../../control/node/host/host.ts';
import { shardOf } from '../../../../../control/node/host/shards/share.ts';
import { COMMAND_MS_MAX } from '../../../../kit/command-line.ts';
import { within } from '../../../../kit/deadline.ts';
import {
  askHost,
  bareWorld,
  type HostAnswer,
  type HostAsk,
  hostDirectory,
  startHostQuietly,
} from '../../../../kit/many-worlds.ts';
import { hostileWorld, nameIn, SHARDS, startSharded } from '../../../../kit/sharded-host.ts';
import { answersOf, answersServed } from '../../../../kit/world-requests.ts';

const WAIT_MS = COMMAND_MS_MAX;
/** A customer of that world; answers the status. */
async function write(asked: {
  readonly host: { readonly baseUrl: string };
  readonly name: string;
  readonly token: string;
  readonly email: string;
  readonly agent: Agent | false;
}): Promise<number> {
  const outgoing = request(`${asked.host.baseUrl}/${asked.name}/stripe/v1/customers`, {
    method: 'POST',
    agent: asked.agent,
    headers: { ...form, 'x-wrld-token': asked.token },
  });
  outgoing.end(`email=${asked.email}`);
  const [response] = (await within('an answer', once(outgoing, 'response'), WAIT_MS)) as [IncomingMessage];
  const ended = once(response, 'end');
  response.resume();
  await ended;
  return response.statusCode!;
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };

t.test('[4.10] a world of a shard answers what wrld world serve answers', async t => {
  const directory = await hostDirectory(t);
  const tokens = await bareWorld(directory, 'acme/shop', ['stripe', 'smtp', 'openai']);
  const expected = await answersServed(t, { directory, name: 'acme/shop', tokens });
  await using host = await startSharded(directory);
  // The first request of a process loads the twins.
  await askHost(host, 'GET', '/-/acme/shop/map', { ...tokens, waitMs: WAIT_MS });
  const found = await answersOf(host.baseUrl, tokens);
  for (const [index, answer] of expected.entries()) t.strictSame(found[index], answer, answer.asked);
});

t.test('[4.10] shards tell the inventory as one process does, byte for byte', async t => {
  const directory = await hostDirectory(t);
  const names = [0, 1].flatMap(shard => ['shop', 'crm', 'odd'].map(stem => nameIn(shard, stem)));
  for (const name of names) await bareWorld(directory, name);
  writeFileSync(join(directory, nameIn(1, 'odd'), '.wrld', 'world.json'), '{ "name": "ä" }');
  const baseUrl = 'https://worlds.example.com';
  const at = ({ listensAt }: RunningHost): { readonly baseUrl: string } => ({ baseUrl: listensAt });
  const told = async (host: RunningHost, times: number): Promise<readonly string[]> => {
    const token = host.adminToken.secret.reveal();
    const texts: string[] = [];
    for (let time = 0; time < times; time++)
      texts.push((await askHost(at(host), 'GET', '/-/worlds', { token, waitMs: WAIT_MS })).text);
    return texts;
  };
  const alone = async (): Promise<string> => {
    await using host = await startHostQuietly(directory, { baseUrl });
    const [text, again] = await told(host, 2);
    t.equal(again, text);
    return text!;
  };
  const before = await alone();
  t.equal(before, `${JSON.stringify(JSON.parse(before))}\n`);
  await using host = await startSharded(directory, {}, { baseUrl });
  for (const text of await told(host, 3)) t.equal(text, before);
  const token = host.adminToken.secret.reveal();
  const ask = (method: string, path: string, body?: object): Promise<HostAnswer> =>
    askHost(at(host), method, path, { token, waitMs: WAIT_MS, ...(body && { body }) });
  for (const shard of [0, 1]) {
    t.match(await ask('PUT', `/-/worlds/${nameIn(shard, 'shop')}/owner`, { owner: 'Müller “& Co”' }), {
      status: 200,
    });
    t.match(await ask('POST', `/-/worlds/${nameIn(shard, 'crm')}/rotate`), { status: 200 });
    const world = nameIn(shard, 'made').slice('acme/'.length);
    t.match(await ask('POST', '/-/worlds', { org: 'acme', world, vendors: ['smtp'] }), { status: 201 });
    const [changed, again] = await told(host, 2);
    t.not(changed, before);
    t.equal(again, changed);
  }
  t.match(await ask('DELETE', `/-/worlds/${nameIn(0, 'odd')}`), { status: 204 });
  const [after] = await told(host, 1);
  await host[Symbol.asyncDispose]();
  t.equal(after, await alone());
  t.equal(JSON.parse(after!).worlds.length, names.length + 1);
});

t.test('[4.10] what a world does to its shard is that shard’s alone', async t => {
  const directory = await hostDirectory(t);
  const shop = nameIn(0, 'shop');
  const crm = nameIn(1, 'crm');
  const bad = nameIn(0, 'bad');
  const worlds = new Map([
    [shop, await bareWorld(directory, shop, ['stripe', 'smtp'])],
    [crm, await bareWorld(directory, crm)],
    [bad, await hostileWorld(directory, bad)],
  ]);
  await using host = await startSharded(directory, { stallCpuMs: 500 });
  const admin = host.adminToken.secret.reveal();
  const ask = (method: string, path: string, more: HostAsk = {}): Promise<HostAnswer> =>
    askHost(host, method, path, { waitMs: WAIT_MS, ...more });
  const of = (name: string): { readonly token: string } => ({ token: worlds.get(name)!.token });
  const map = (name: string): Promise<HostAnswer> => ask('GET', `/-/${name}/map`, of(name));

  await t.test('the host knows all of them, and tells of which shard each is', async t => {
    const names = [shop, crm, bad].sort();
    t.strictSame(host.names(), names);
    t.strictSame((await ask('GET', '/-/ping')).json.worlds, names);
    t.match(await map(shop), { status: 200 });
    t.match(await map(crm), { status: 200 });
    const rows: { name: string; token: string }[] = (await ask('GET', '/-/worlds', { token: admin })).json
      .worlds;
    t.strictSame(
      rows.map(({ name, token }) => [name, token]),
      names.map(name => [name, of(name).token]),
      'sorted, whichever shard told them',
    );
    t.match((await ask('GET', '/-/health')).json, {
      status: 'up',
      worlds: 3,
      shards: [
        { shard: 0, status: 'up', worlds: 2 },
        { shard: 1, status: 'up', worlds: 1 },
      ],
    });
    const { text } = await ask('GET', '/-/metrics', { token: admin });
    t.match(text, `wrld_host_world_requests_total{world="${shop}",class="2xx",shard="0"} 1\n`);
    t.match(text, `wrld_host_world_requests_total{world="${crm}",class="2xx",shard="1"} 1\n`);
    t.match(text, 'wrld_host_shard_up{shard="1"} 1\n');
    t.match(text, /^wrld_host_resident_memory_bytes\{shard="front"\} \d+$/m);
    t.match(await ask('GET', '/-/ghost/none/map'), {
      status: 404,
      json: { error: { code: 'no-such-world' } },
    });
  });

  await t.test('the admin makes, owns, rotates and removes in either', async t => {
    for (const shard of [0, 1]) {
      const name = nameIn(shard, 'made');
      const body = { org: 'acme', world: name.slice('acme/'.length), vendors: ['smtp'] };
      const made = await ask('POST', '/-/worlds', { token: admin, body });
      t.match(made, { status: 201, json: { name } });
      t.match(await ask('POST', '/-/worlds', { token: admin, body }), { status: 409 });
      t.match(await ask('PUT', `/-/worlds/${name}/owner`, { token: admin, body: { owner: 'me' } }), {
        status: 200,
      });
      const { json } = await ask('POST', `/-/worlds/${name}/rotate`, { token: admin });
      t.match(await ask('GET', `/-/${name}/map`, made.json), { status: 401 });
      t.match(await ask('GET', `/-/${name}/map`, json), { status: 200 });
      t.match(await ask('DELETE', `/-/worlds/${name}`, { token: admin }), { status: 204 });
      t.notOk(host.names().includes(name), 'the front knows it at once');
      t.match(await ask('GET', `/-/${name}/map`, json), { status: 404 });
    }
  });

  await t.test('[4.9] a branch is asked for as soon as it was made, in the shard of its world', async t => {
    for (const label of ['one', 'two', 'three', 'four']) {
      const made = await ask('POST', `/-/${shop}/branches`, { ...of(shop), body: { label } });
      t.match(made, { status: 201 });
      t.match(await ask('GET', `/-/${made.json.name}/map`, made.json), { status: 200 });
      t.match(await ask('DELETE', `/-/worlds/${made.json.name}`, { token: admin }), { status: 204 });
    }
  });

  await t.test('its own origin, a stream of events, a mail server over a WebSocket', async t => {
    const [org = '', world = ''] = shop.split('/');
    const own = `${world}--${org}.localhost:${new URL(host.baseUrl).port}`;
    t.match(await ask('GET', '/-/worlds', { token: admin, headers: { host: own } }), { status: 404 });
    t.match(await ask('GET', `/-/${shop}/map`, { ...of(shop), headers: { host: own } }), { status: 200 });
    const headers = { host: own, 'x-wrld-token': of(shop).token };
    const outgoing = request(`${host.baseUrl}/-/${shop}/events`, { headers, agent: false }).end();
    const [events] = (await within('the stream', once(outgoing, 'response'), WAIT_MS)) as [IncomingMessage];
    const heard = (async () => {
      let whole = '';
      for await (const chunk of events) if (/event: entry/.test((whole += chunk))) return;
    })();
    const made = await ask('POST', `/${shop}/stripe/v1/customers`, {
      ...of(shop),
      headers: form,
      body: 'email=a@b.test',
    });
    t.match(made, { status: 200 });
    await within('the news of it', heard, WAIT_MS);
    events.destroy();
    const { json } = await ask('GET', `/${shop}/.well-known/wrld-world`, of(shop));
    const socket = new WebSocket(json.streams.smtp.url);
    await within('the upgrade', once(socket, 'open'), WAIT_MS);
    socket.send(of(shop).token);
    const [greeting] = await within('the mail server’s greeting', once(socket, 'message'), WAIT_MS);
    t.match(String(greeting), /^220 /);
    socket.terminate();
  });

  await t.test('bodies of every size and form are answered as the world answers them', async t => {
    const MIB = 1024 * 1024;
    const target = `/${shop}/stripe/v1/customers`;
    const send = async (bytes: number, headers: { readonly [name: string]: string }): Promise<number> => {
      const outgoing = request(`${host.baseUrl}${target}`, { method: 'POST', headers, agent: false });
      // The answer to what is too large comes before the end of it.
      outgoing.on('error', () => {});
      const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
      if (headers['expect'] !== undefined) {
        outgoing.flushHeaders();
        await Promise.race([once(outgoing, 'continue'), answered]);
      }
      for (let left = bytes; left > 0; left -= MIB) outgoing.write('x'.repeat(Math.min(left, MIB)));
      outgoing.end();
      const [response] = await within('the answer', answered, WAIT_MS);
      response.resume();
      return response.statusCode!;
    };
    const by = { ...form, 'x-wrld-token': of(shop).token };
    const chunked = { 'transfer-encoding': 'chunked' };
    const sized = (bytes: number): { 'content-length': string } => ({ 'content-length': String(bytes) });
    t.equal(await send(3 * MIB, { ...by, ...sized(3 * MIB) }), 400, 'whole, and judged by the world');
    t.equal(await send(3 * MIB, { ...by, ...chunked }), 400);
    t.equal(await send(6 * MIB, { ...by, ...chunked }), 413);
    t.equal(await send(6 * MIB, { ...by, ...sized(6 * MIB), expect: '100-continue' }), 413);
    t.equal(await send(100, { ...form, ...sized(100), expect: '100-continue' }), 401);
    t.equal(await send(MIB, { ...form, ...chunked }), 401);
  });

  await t.test(
    'a world that never comes to its end holds up its neighbours until its shard is ended',
    async t => {
      const looping = ask('GET', `/${bad}/hostile/v1/loop`, of(bad));
      const behind = map(shop);
      // However long that takes, the other shard answers meanwhile, and nothing waits for the one that does not.
      let over = false;
      const ended = looping.finally(() => {
        over = true;
      });
      let answers = 0;
      for (; !over || answers === 0; answers++) t.match(await map(crm), { status: 200 });
      t.match(await ended, { status: 503, json: { error: { code: 'shard-ended' } } });
      t.ok(answers > 0, `${answers} answers of the other shard meanwhile`);
      // It was cut with the one that looped, or came afterwards.
      t.ok([200, 503].includes((await behind).status));
      t.match(await map(shop), { status: 200 }, 'started again');
      t.match(
        (await ask('GET', '/-/metrics', { token: admin })).text,
        'wrld_host_shard_restarts_total{shard="0"} 1\n',
      );
    },
  );

  await t.test('a world that ends its shard three times in a minute is asked no more, and named', async t => {
    // The one above was the first.
    for (const nth of ['second', 'third'])
      t.match(await ask('GET', `/${bad}/hostile/v1/exit`, of(bad)), { status: 503 }, nth);
    t.match(await map(bad), {
      status: 503,
      json: { error: { code: 'world-unusable', message: /3 times within 60 seconds/ } },
    });
    t.match(await map(shop), { status: 200 });
    const rows: { name: string; fault?: string }[] = (await ask('GET', '/-/worlds', { token: admin })).json
      .worlds;
    t.strictSame(
      rows.filter(({ fault }) => fault !== undefined).map(({ name }) => name),
      [bad],
    );
    t.match(rows.find(({ name }) => name === bad)?.fault, /ended the process that serves it 3 times/);
  });

  const written = await ask('GET', `/${shop}/stripe/v1/customers`, of(shop));
  t.equal(written.json.data.length, 1, 'what was acknowledged is there, whatever ended');
  await t.test('a new release takes their place while somebody writes, and every write is there', async t => {
    const streams = await Promise.all(
      [shop, crm].map(async name => {
        const [events] = (await within(
          'a stream',
          once(
            request(`${host.baseUrl}/-/${name}/events`, {
              headers: { 'x-wrld-token': of(name).token },
            }).end(),
            'response',
          ),
          WAIT_MS,
        )) as [IncomingMessage];
        events.on('error', () => {});
        return { ended: new Promise(resolve => events.resume().once('close', resolve)) };
      }),
    );
    const agents = [shop, crm].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
    let renewed = false;
    const writer = async (name: string, label: string, agent: Agent | false): Promise<readonly string[]> => {
      const written: string[] = [];
      do {
        const email = `${label}${written.length}@acme.test`;
        const answer = await write({ host, name, token: of(name).token, email, agent });
        if (answer !== 200) throw new Error(`${name} answered ${answer}`);
        written.push(email);
      } while (!renewed);
      return written;
    };
    const writers = [shop, crm].flatMap((name, n) => [
      writer(name, 'kept', agents[n]!).then(written => ({ name, written })),
      writer(name, 'new', false).then(written => ({ name, written })),
    ]);
    const [done] = await Promise.all([
      host.renew().finally(() => {
        renewed = true;
      }),
      ...writers,
    ]);
    t.equal(done, true);
    for (const agent of agents) agent.destroy();
    for (const { ended } of streams) await within('the end of a stream', ended, WAIT_MS);
    for (const name of [shop, crm]) {
      const wanted = (await Promise.all(writers)).flatMap(each => (each.name === name ? each.written : []));
      const { json } = await ask('GET', `/-/${name}/checkpoint/stripe`, of(name));
      const found = json.records.flatMap(
        ({ body }: { readonly body: { readonly email?: string } }) => body.email ?? [],
      );
      t.strictSame(
        found.filter((email: string) => /^(?:kept|new)/.test(email)).sort(),
        wanted.toSorted(),
        'each of them once',
      );
    }
    const { shards } = (await ask('GET', '/-/health')).json;
    t.match(shards, [{ status: 'up' }, { status: 'up' }]);
  });

  await host.close();
  t.notOk(
    readdirSync(join(directory, '.wrld-host', 'run')).some(name => name.endsWith('.sock')),
    'no socket is left',
  );
  rmSync(join(directory, 'acme'), { recursive: true });
  t.ok(existsSync(join(directory, '.wrld-host')));
});

t.test('which shard has a world follows from its name, and all have some', t => {
  const counts = [0, 0, 0, 0];
  for (let n = 0; n < 1_000; n++) counts[shardOf(`acme/world-${n}`, counts.length)]! += 1;
  t.ok(
    counts.every(count => count > 150),
    counts.join(', '),
  );
  t.equal(shardOf('acme/shop', 4), shardOf('acme/shop', 4));
  t.equal(SHARDS, 2);
  t.end();
});
