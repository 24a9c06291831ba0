// The commands that ask a world: real processes against a world that is up, one that is served, and none.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t from 'tap';
import {
  COMMAND_MS_MAX,
  cleanEnv,
  command,
  type Ended,
  openWorlds,
  startServe,
  startUp,
  wrld,
  wrldWords,
} from '../kit/command-line.ts';
import { within } from '../kit/deadline.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);
const folder = await worlds.make('asked');

/** A program with its own arguments and environment, and nothing of this one's. */
function wrldWith(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, wrldWords(...args).slice(1), {
    cwd: worlds.root,
    env: { ...cleanEnv(), ...env },
    timeout: COMMAND_MS_MAX,
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', text => (out += text));
  child.stderr.setEncoding('utf8').on('data', text => (err += text));
  return once(child, 'close').then(([code]) => ({ code: code as number, out, err }));
}

t.test('without a world each says so, and how to start one', async t => {
  for (const words of [
    ['timeline'],
    ['clock'],
    ['log', 'stripe'],
    ['branch'],
    ['keys'],
    ['requests'],
    ['diff'],
  ]) {
    const ended = await wrld(folder, 'world', ...words);
    t.strictSame([ended.code, ended.out], [1, ''], words.join(' '));
    t.match(ended.err, /no world is up in this folder. Start it: wrld world up/);
  }
  t.match(await wrld(folder, 'world', 'down'), { code: 0, out: 'No world is up in this folder.\n' });
});

t.test('a world that is up', async t => {
  await using world = await startUp(folder);
  const ask = (...words: readonly string[]): Promise<Ended> => wrld(folder, 'world', ...words);
  const charge = (email: string): Promise<Ended> =>
    command(
      wrldWords(
        'world',
        'run',
        '--',
        'curl',
        '-sf',
        'https://api.stripe.com/v1/customers',
        '-u',
        'sk_test_x:',
        '-d',
        `email=${email}`,
      ),
      folder,
    );

  t.match(await ask('timeline'), { code: 0, out: 'Nothing happened yet.\n' });

  await t.test('log, timeline and requests', async t => {
    // Started first, so that what it prints is what it was told.
    const follower = spawn(process.execPath, wrldWords('world', 'timeline', '--follow', '--json').slice(1), {
      cwd: folder,
      env: cleanEnv(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const followed = once(createInterface({ input: follower.stdout }), 'line');
    t.equal((await charge('a@b.test')).code, 0);
    const [line] = await within('the entry to be followed', followed, COMMAND_MS_MAX);
    t.match(JSON.parse(line as string), { twin: 'stripe', position: 1, entry: { kind: 'customer.created' } });
    const gone = once(follower, 'exit');
    follower.kill('SIGINT');
    await gone;

    const log = await ask('log', 'stripe');
    t.equal(log.code, 0);
    t.match(
      log.out,
      /^at +twin +pos +what +who +in words\n\S+ \S+ +stripe +1 +customer\.created +token +customer a@b\.test/,
    );
    t.match(JSON.parse((await ask('log', 'stripe', '--after', '1', '--json')).out), {
      entries: [],
      next: null,
    });
    t.match(JSON.parse((await ask('timeline', '--limit', '1', '--json')).out), {
      entries: [{ twin: 'stripe', position: 1, entry: { changes: [{ op: 'put', type: 'customer' }] } }],
    });
    const entry = await ask('log', 'stripe:1');
    t.match(entry.out, /^stripe:1 {2}customer\.created {2}/);
    t.match(
      entry.out,
      '\nPOST /v1/customers\ncontent-type: application/x-www-form-urlencoded\n  email  a@b.test\n',
    );
    t.match(entry.out, /^made +customer cus_/m);
    t.match(JSON.parse((await ask('log', 'stripe:1', '--json')).out), {
      request: { body: 'email=a@b.test' },
    });
    t.match(await ask('log', 'stripe:9'), { code: 1, err: /stripe has no entry 9 yet/ });
    t.match(await ask('log', 'github'), { code: 1, err: /no twin “github”/ });
    t.match(await ask('log'), { code: 2, err: /needs a twin/ });
    t.match(await ask('timeline', '--limit', 'x'), { code: 1, err: /whole number/ });
    const requests = await ask('requests', '--hours', '1');
    t.match(requests.out, /^stripe {2}\d+ requests/);
    t.match(requests.out, /POST \/v1\/customers +1 +0/);
  });

  await t.test('clock', async t => {
    t.match((await ask('clock')).out, /\(wall clock\)\n$/);
    t.match(await ask('clock', 'advance', '1d'), { code: 1, err: /set it first/ });
    t.equal((await ask('clock', 'set', '2030-01-01T00:00:00Z')).out, '2030-01-01T00:00:00.000Z  (set)\n');
    t.match(JSON.parse((await ask('clock', 'advance', '36h', '--json')).out), {
      at: '2030-01-02T12:00:00.000Z',
      frozen: true,
    });
    t.match(await ask('clock', 'set', '2029-01-01T00:00:00Z'), { code: 1, err: /only moves forward/ });
    t.match(await ask('clock', 'set'), { code: 2, err: /needs an instant/ });
    t.match(await ask('clock', 'sett'), { code: 2, err: /unexpected "sett"/ });
  });

  await t.test('root and refresh', async t => {
    t.match(await ask('root', 'stripe'), {
      code: 0,
      out: /^stripe has no root\. Set one: wrld world root set/,
    });
    t.match(await ask('refresh', 'stripe'), { code: 1, err: /has no root; set one/ });
    t.match(await ask('root', 'set', 'stripe', 'http://api.stripe.test'), { code: 1, err: /is not https/ });
    t.match(await ask('root', 'set', 'stripe'), { code: 2, err: /needs a vendor and a URL/ });
    const set = ['root', 'set', 'stripe', 'https://api.stripe.test', '--every', 'never', '--deploy', 'never'];
    t.equal(
      (await ask(...set)).out,
      'stripe  https://api.stripe.test\n  Deploys   never\n  Copied    only when asked, at most once in 1m\n',
    );
    t.match(JSON.parse((await ask('root', 'stripe', '--json')).out), { execution: { rootConnected: true } });
    t.match(await ask('refresh', 'stripe'), { code: 1, err: /The root cannot be asked: .*credential/ });
    t.match(await ask('refresh', 'stripe'), { code: 1 }, 'nobody was asked, so nobody is to be left alone');
    t.match(JSON.parse((await ask('refresh', 'stripe', '--force', '--json')).out), {
      lastAt: null,
      progress: null,
    });
    t.match(await ask('root', 'stripe'), {
      code: 0,
      out: /Credential none is sealed\n {2}Last +never\n {2}Fault/,
    });
    t.equal((await ask('root', 'take', 'stripe', 'theirs')).out, '0 records resolved.\n');
    t.match(await ask('root', 'take', 'stripe', 'ours', 'customer/cus_1'), {
      code: 1,
      err: /is in conflict/,
    });
    t.match(await ask('root', 'take', 'stripe', 'both'), { code: 2, err: /needs a vendor and a side/ });
    t.match(await ask('root', 'clear', 'stripe'), { code: 0, out: /^stripe has no root/ });
  });

  await t.test('branch and diff', async t => {
    const made = await ask('branch', 'make', '--label', 'try', '--ttl', '3600');
    const name = /^acme\/(shop-try-[0-9a-f]{4}) {2}until /.exec(made.out)?.[1];
    t.ok(name, made.out + made.err);
    t.match((await ask('branch')).out, name!);
    t.match(await ask('log', 'stripe', '--branch', name!), { code: 0, out: /customer\.created/ });
    t.match(await ask('clock', 'advance', '1d', '--branch', name!), { code: 0, out: /2030-01-03/ });
    t.match((await ask('clock')).out, /2030-01-02T12/, 'the parent stands where it stood');
    const charged = await command(
      wrldWords(
        'world',
        'run',
        '--branch',
        name!,
        '--',
        'curl',
        '-sf',
        'https://api.stripe.com/v1/customers',
        '-u',
        'sk_test_x:',
        '-d',
        'email=in@branch.test',
      ),
      folder,
    );
    t.equal(charged.code, 0, charged.err);
    t.match((await ask('diff', '--branch', name!)).out, /stripe +2 +customer\.created/);
    t.match((await ask('log', 'stripe', '--after', '1')).out, /No entries/, 'the parent has nothing of it');
    t.match(await ask('branch', 'make', '--ttl', '5'), { code: 1, err: /60/ });
    t.match(await ask('clock', '--branch', 'nobody'), { code: 1, err: /there is no branch "nobody"/ });
    t.match(await ask('branch', 'remove', name!), { code: 0, out: /is gone/ });
    t.match(await ask('branch', 'remove', name!), { code: 1 });
    t.match((await ask('branch')).out, /No branches/);
  });

  await t.test('keys', async t => {
    const made = await ask('keys', 'make', 'ci', '--read');
    t.match(made.out, /^tok_k_[A-Za-z0-9_-]{43}\n$/);
    const id = /^Key (\S+)\./m.exec(made.err)?.[1];
    t.ok(id, made.err);
    t.match((await ask('keys')).out, /ci +read/);
    const env = { WRLD_WORLD: world.up.worldUrl, WRLD_WORLD_TOKEN: made.out.trim() };
    t.equal((await wrldWith(env, 'world', 'clock')).code, 0, 'a world is asked by its URL');
    t.match(await wrldWith(env, 'world', 'clock', 'advance', '1d'), { code: 1, err: /reads only/ });
    t.match(await wrldWith({ ...env, WRLD_WORLD_TOKEN: '' }, 'world', 'clock'), {
      code: 2,
      err: /WRLD_WORLD_TOKEN/,
    });
    t.match(await wrldWith(env, 'world', 'clock', '--world', 'http://127.0.0.1/x'), {
      code: 2,
      err: /no world's URL/,
    });
    t.match(await ask('keys', 'revoke', id!), { code: 0 });
    t.equal((await wrldWith(env, 'world', 'clock')).code, 1);
    t.match(await ask('keys', 'revoke'), { code: 2, err: /id or --person/ });
  });

  await t.test('down', async t => {
    const ended = once(world.process, 'exit');
    t.match(JSON.parse((await ask('down', '--json')).out), { down: true, pid: world.up.pid });
    await ended;
  });
});

t.test('[5.1] a served world has its tokens, no proxy and no branches', async t => {
  const served = await worlds.make('served');
  await using world = await startServe(served, '--budget', '2');
  t.match(world.up, { token: /^tok_w_/, readToken: /^tok_r_/ });
  t.match(await wrld(served, 'world', 'clock'), { code: 0, out: /wall clock/ });
  t.match(await wrld(served, 'world', 'branch'), { code: 1 });
  t.match(await wrld(served, 'world', 'run', '--', 'true'), { code: 1, err: /served without a proxy/ });
  t.match((await wrld(served, 'world', 'status')).out, /^acme\/shop\n {2}World/);
  const env = { WRLD_WORLD: world.up.worldUrl, WRLD_WORLD_TOKEN: world.up.readToken };
  t.match(await wrldWith(env, 'world', 'timeline'), { code: 0, out: 'Nothing happened yet.\n' });
  t.match(await wrld(served, 'world', 'serve', '--budget', 'none'), { code: 2, err: /--budget takes/ });
  t.match(await wrld(served, 'world', 'serve'), { code: 1, err: /is up already/ });
});
