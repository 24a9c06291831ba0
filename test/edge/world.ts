// The core at work on workerd: a world of notes in a Durable Object, with its large bytes in R2.

import { createHash } from 'node:crypto';
import type { Digest } from '../../control/ports/digest.ts';
import { openWorld } from '../../control/world/open-world.ts';
import type { World } from '../../control/world/world.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { Store } from '../contract/store.ts';
import type { Case } from '../contract/suite.ts';
import { noteTwin } from '../kit/note-twin.ts';

const EPOCH = Date.UTC(2026, 0, 31);
const MEBIBYTE = 1024 * 1024;
const nothing = (): void => {};

const digest: Digest = {
  sha256: data => new Uint8Array(createHash('sha256').update(data).digest()),
  hasher: () => {
    const made = createHash('sha256');
    return { add: text => void made.update(text), digest: () => new Uint8Array(made.digest()) };
  },
  equal: (a, b) => a.length === b.length && a.every((byte, n) => byte === b[n]),
};

const open = ({ sql, durability, blobs }: Store): Promise<World> =>
  openWorld({
    name: 'acme/notes',
    sql: { ...sql, durable: durability.durable },
    durability,
    blobs,
    digest,
    wall: { now: () => EPOCH },
    alarms: { set: nothing, onWake: nothing },
    entropy: { bytes: length => crypto.getRandomValues(new Uint8Array(length)) },
    outbound: {
      ready: () => null,
      send: async () => ({ ok: false, refused: true, sent: false, why: 'a test sends nothing', ms: 0 }),
    },
    processLog: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    twins: [{ id: 'note', twin: noteTwin(), package: null }],
  });

const ask = (world: World, method: string, path: string, body: string | Uint8Array = ''): Promise<Reply> =>
  world.call('note', {
    method,
    host: 'note.test',
    via: 'host',
    path,
    query: '',
    headers: {},
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    caller: 'token',
    scope: 'write',
    trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
  });

export const WORLD_CASES: readonly Case<Store>[] = [
  {
    name: 'a world takes calls, keeps entries and tells its timeline, also after it was opened again',
    run: async (store, is) => {
      const first = await open(store);
      is.equal((await ask(first, 'PUT', '/notes/a', '{"text":"one"}')).status, 200);
      is.equal((await ask(first, 'PUT', '/notes/a', '{"text":"two"}')).status, 200);
      is.equal((await first.setClock('2026-02-01T00:00:00Z')).ok, true);
      await first.close();
      const world = await open(store);
      is.same(JSON.parse(String((await ask(world, 'GET', '/notes/a')).body)), { id: 'a', text: 'two' });
      is.same(
        (await world.log('note', 0))!.entries.map(({ position, kind }) => [position, kind]),
        [
          [1, 'note.created'],
          [2, 'note.updated'],
        ],
      );
      const timeline = await world.timeline({});
      is.same(timeline.ok && timeline.entries.map(({ position }) => position), [2, 1]);
      is.same(await world.clock(), { at: '2026-02-01T00:00:00.000Z', frozen: true });
      await world.close();
    },
  },
  {
    name: 'bytes too large for a row go to the bucket, and a twin that needs them gets them from there',
    run: async (store, is) => {
      const world = await open(store);
      const text = 'z'.repeat(2 * MEBIBYTE);
      is.equal((await ask(world, 'PUT', '/notes/n', JSON.stringify({ text }))).status, 200);
      // The text, and the request that it came in.
      is.equal((await store.blobs.list()).length, 2, 'it is there before the answer is');
      is.same(store.sql.all('SELECT sha FROM blob_part'), [], 'and nothing of it in rows any more');
      const read = await ask(world, 'GET', '/notes/n');
      is.equal(JSON.parse(String(read.body)).text.length, text.length);
      const page = await world.log('note', 0);
      is.equal(JSON.stringify(page!.entries[0]!.changes).length > text.length, true);
      await world.close();
    },
  },
];
