// A disk that is full or read-only, when a world starts and while it is up: one clear line, nothing half done, and a
// world that answers on and keeps things again when there is room.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { SAY_AGAIN_MS } from '../../cli/limits.ts';
import { command, openWorlds, type RunningUp, startUp, startWords, wrldWords } from '../kit/command-line.ts';
import { noRefusedWrites, refuseOpening, refuseWrites } from '../kit/read-only.ts';
import { fillDisk, noSmallDisk, onSmallDisk } from '../kit/small-disk.ts';

const CONFIG = { name: 'acme/shop', services: { stripe: { twin: 'stripe' } } };
const STACK = /^\s+at .*:\d+:\d+\)?$/m;
const skip = noSmallDisk();
const worlds = await openWorlds();
t.teardown(() => worlds.remove());

async function customer({ up }: RunningUp, token: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${up.worldUrl}/stripe/v1/customers`, {
    method: 'POST',
    headers: {
      'x-twins-key': token,
      authorization: 'Bearer sk_test_x',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `email=a@b.test&description=${'x'.repeat(4_000)}`,
  });
  return { status: response.status, text: await response.text() };
}

/** A read beside a write that is lost (the world's own journal makes some) is told so, and is asked again. */
async function count({ up }: RunningUp, token: string): Promise<number> {
  for (;;) {
    const response = await fetch(`${up.worldUrl}/stripe/v1/customers?limit=100`, {
      headers: { 'x-twins-key': token, authorization: 'Bearer sk_test_x' },
    });
    const text = await response.text();
    if (response.status === 200)
      return (JSON.parse(text) as { readonly data: readonly unknown[] }).data.length;
    if (!text.includes('store_failed')) throw new Error(`${response.status} ${text}`);
  }
}

/** Until one is refused: a store may have room of its own left. */
async function untilRefused(world: RunningUp, token: string): Promise<{ status: number; text: string }> {
  for (;;) {
    const made = await customer(world, token);
    if (made.status !== 200) return made;
  }
}

async function tokenOf({ up }: RunningUp, folder: string): Promise<string> {
  const file = join('/proc', String(up.pid), 'root', folder, '.wrld', 'token');
  return (await readFile(file, 'utf8')).split('\n')[0]!;
}

t.test('a start on a full disk is one line that says what to do', { skip }, async t => {
  const folder = await worlds.make('start-full');
  for (const words of [wrldWords('world', 'up'), wrldWords('world', 'run', '--', 'true')]) {
    const ended = await command(onSmallDisk(words, { kib: 32, config: CONFIG }), folder);
    t.equal(ended.code, 1);
    t.match(ended.err, /^wrld world (up|run): .*disk is full/);
    t.notMatch(ended.err, STACK);
  }
});

t.test('a start on a read-only disk is one line that says what to do', { skip }, async t => {
  const folder = await worlds.make('start-read-only');
  const disk = { kib: 4_096, config: CONFIG, readOnly: true };
  for (const verb of ['up', 'serve']) {
    const ended = await command(onSmallDisk(wrldWords('world', verb), disk), folder);
    t.equal(ended.code, 1);
    t.match(ended.err, new RegExp(`^wrld world ${verb}: .*\\.wrld/run: .*mounted`));
    t.notMatch(ended.err, STACK);
  }
  const made = await command(onSmallDisk(wrldWords('world', 'init', 'acme/shop'), disk), folder);
  t.equal(made.code, 1);
  t.notMatch(made.err, STACK);
});

t.test(
  'a disk that fills while the world is up: writes are refused with the reason, reads are answered, and it recovers',
  { skip },
  async t => {
    const folder = await worlds.make('work-full');
    const words = onSmallDisk(wrldWords('world', 'up', '--json'), { kib: 8_192, config: CONFIG });
    await using world = await startWords(folder, words);
    const token = await tokenOf(world, folder);
    t.equal((await customer(world, token)).status, 200);
    {
      const began = performance.now();
      using _filled = fillDisk(world.up.pid, folder);
      const refused = await untilRefused(world, token);
      t.equal(refused.status, 500);
      t.match(refused.text, /could not keep this: its disk is full; make room on it. Nothing was changed/);
      await world.said(/its disk is full; make room on it/);
      for (let nth = 0; nth < 20; nth++) t.equal((await customer(world, token)).status, 500);
      const most = 1 + Math.floor((performance.now() - began) / SAY_AGAIN_MS);
      const told = Map.groupBy(world.err().match(/.*its disk is full.*/g) ?? [], line => line);
      t.ok(told.size > 0);
      for (const [line, times] of told)
        t.ok(
          times.length <= most,
          `told once in a while, and not with every request: ${times.length} × ${line}`,
        );
      const read = await fetch(`${world.up.worldUrl}/stripe/v1/customers?limit=1`, {
        headers: { 'x-twins-key': token, authorization: 'Bearer sk_test_x' },
      });
      t.equal(read.status, 200, 'what is there can be read');
      const key = await fetch(`${world.up.baseUrl}/-/acme/shop/keys`, {
        method: 'POST',
        headers: { 'x-wrld-token': token, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'ci', scope: 'read' }),
      });
      t.equal(key.status, 500);
      t.match(await key.json(), { error: { code: 'store-failed', message: /its disk is full/ } });
    }
    t.equal((await customer(world, token)).status, 200, 'there is room again');
  },
);

t.test(
  'a disk that becomes read-only while the world is up: nothing is told as kept, what is there is read, and it recovers',
  { skip: noRefusedWrites() },
  async t => {
    const folder = await worlds.make('work-read-only');
    await using world = await startUp(folder);
    const token = await tokenOf(world, folder);
    t.equal((await customer(world, token)).status, 200);
    const store = join(folder, '.wrld', 'world', 'world.db');
    {
      await using _refused = await refuseWrites(world.up.pid, [store, `${store}-wal`]);
      for (let nth = 0; nth < 3; nth++) {
        const refused = await customer(world, token);
        t.equal(refused.status, 500);
        t.match(refused.text, /could not keep this: its disk is full or read-only.*Nothing was changed/);
      }
      t.strictSame(await count(world, token), 1, 'what is there can be read, and nothing else');
      await world.said(/the store failed; nothing was changed: its disk is full or read-only/);
    }
    t.equal((await customer(world, token)).status, 200, 'it may be written again');
    t.equal(await count(world, token), 2);
  },
);

t.test(
  'a disk on which nothing can be opened for writing any more: who needs that is told, and the world goes on',
  { skip },
  async t => {
    const folder = await worlds.make('work-unopened');
    const words = onSmallDisk(wrldWords('world', 'up', '--json'), { kib: 32_768, config: CONFIG });
    await using world = await startWords(folder, words);
    const token = await tokenOf(world, folder);
    const branch = async (): Promise<{ status: number; text: string }> => {
      const response = await fetch(`${world.up.baseUrl}/-/acme/shop/branches`, {
        method: 'POST',
        headers: { 'x-wrld-token': token },
      });
      return { status: response.status, text: await response.text() };
    };
    {
      using _refused = refuseOpening(world.up.pid, join(folder, '.wrld'));
      const refused = await branch();
      t.equal(refused.status, 500);
      t.match(JSON.parse(refused.text), {
        error: { code: 'store-failed', message: /could not keep this: .*mounted.* Nothing was changed/ },
      });
      t.equal((await customer(world, token)).status, 200, 'what is open already is written to');
      await world.said(/what the store holds could not be noted beside it/);
    }
    t.equal((await branch()).status, 201, 'it can be opened again');
    t.equal(await count(world, token), 1);
  },
);

const noLimit = process.platform === 'linux' ? false : 'only GNU’s env gives a signal back its default';

t.test('a limit on the size of files is told of too, and the world goes on', { skip: noLimit }, async t => {
  const folder = await worlds.make('work-limited');
  // Without any privilege: the store may grow to 3 MiB, and not beyond; and the signal that comes with it is as it is
  // by default, whatever this process inherited.
  const limited = ['env', '--default-signal=XFSZ', 'bash', '-c', 'ulimit -S -f 3072 && exec "$@"', 'bash'];
  await using world = await startWords(folder, [...limited, ...wrldWords('world', 'up', '--json')]);
  const token = await tokenOf(world, folder);
  const refused = await untilRefused(world, token);
  t.equal(refused.status, 500);
  t.match(refused.text, /could not keep this: its disk is full/);
  const health = await fetch(`${world.up.worldUrl}/stripe/v1/customers?limit=1`, {
    headers: { 'x-twins-key': token, authorization: 'Bearer sk_test_x' },
  });
  t.equal(health.status, 200);
});
