// An app that holds an id from before a deploy (3): what it sends is exchanged at the door.
import t from 'tap';
import { Aliases, exchangedCall } from '../../../../control/world/changesets/aliases.ts';
import type { Call } from '../../../../twins/kit/call.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { JSON_TYPE, noteTwinWith, openDeployWorld } from '../../../kit/deploy-world.ts';

const IDS = new Map([['note_here', 'note_real']]);
const call = (type: string | undefined, body: string | Uint8Array, more: Partial<Call> = {}): Call => ({
  method: 'POST',
  host: 'note.test',
  via: 'host',
  path: '/notes/note_here',
  query: 'of=note_here',
  headers: type === undefined ? {} : { 'content-type': type },
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  caller: null,
  scope: 'write',
  trace: { traceId: '0', spanId: '0', parentId: null },
  ...more,
});
const textOf = ({ body }: Call): string => new TextDecoder().decode(body);

t.test('[3] path, query, headers that may name ids, and bodies that are JSON or forms', t => {
  const told = exchangedCall(
    call('application/json', '{"of":"note_here"}', {
      headers: { 'content-type': 'application/json', 'x-of': 'note_here', 'x-other': 'note_here' },
    }),
    IDS,
    ['x-of', 'x-none'],
  );
  t.match(told, {
    path: '/notes/note_real',
    query: 'of=note_real',
    headers: { 'x-of': 'note_real', 'x-other': 'note_here' },
  });
  t.equal(textOf(told), '{"of":"note_real"}');
  for (const type of [
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-8',
    'application/vnd.x+json',
  ])
    t.equal(textOf(exchangedCall(call(type, 'of=note_here'), IDS)), 'of=note_real', type);
  for (const type of [
    undefined,
    'application/octet-stream',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/jsonx',
  ])
    t.equal(textOf(exchangedCall(call(type, 'of=note_here'), IDS)), 'of=note_here', String(type));
  const bytes = new Uint8Array([0xff, ...new TextEncoder().encode('note_here')]);
  t.equal(exchangedCall(call('application/json', bytes), IDS).body, bytes, 'bytes that are no text stay');
  const same = call('application/json', '{}');
  t.equal(exchangedCall(same, IDS).body, same.body);
  t.end();
});

t.test('[3] they outlast the world, and go when what made them is undone', async t => {
  await using world = await openDeployWorld();
  const { notes } = world;
  t.equal(new Aliases(notes.sql).of('note'), undefined, 'a world without such ids has none to look at');
  const id = await world.make({ n: 1 });
  await world.cut('one');
  notes.wall.at += 60_000;
  await world.deploy('one');
  t.strictSame([...new Aliases(notes.sql).of('note')!], [[id, 'note_real00000001']]);
  t.equal((await notes.ask('GET', `/notes/${id}`)).body.id, 'note_real00000001');
  await t.test('a branch has those from before it left, and no later ones', async t => {
    await using later = await branchOff(notes, { twins: { note: noteTwinWith('once') } });
    t.match(await later.ask('GET', `/notes/${id}`), { status: 200, body: { id: 'note_real00000001' } });
    await using earlier = await branchOff(notes, {
      twins: { note: noteTwinWith('once') },
      at: new Date(notes.wall.at - 30_000).toISOString(),
    });
    t.match(await earlier.ask('GET', `/notes/${id}`), { status: 200, body: { id } });
  });
  const made = await notes.ask('POST', '/notes', { of: id }, JSON_TYPE);
  t.equal((await notes.ask('GET', `/notes/${made.body.id}`)).body.of, 'note_real00000001');
});
