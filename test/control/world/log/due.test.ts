import t from 'tap';
import { type DueRow, dueAt } from '../../../../control/world/log/due.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { EPOCH, type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';

const shown = (rows: readonly DueRow[]): string =>
  rows.map(({ key, at }) => `${key}@${at - EPOCH}`).join(' ');

/** What waits by the queue itself, without the world's own retries. */
const waiting = ({ sql }: NoteWorld): string =>
  shown(
    sql.all<DueRow>("SELECT * FROM due WHERE twin = 'note' AND substr(key, 1, 1) <> '~' ORDER BY at, key"),
  );

t.test(
  '[4.9, storage branches] what waited at any moment of the past can be told: asked for, asked anew, cancelled, happened',
  async t => {
    await using at = await openNoteWorld({
      twins: { note: noteTwin({ retries: [1000] }) },
      send: () => ({ ok: true, status: 500, ms: 1 }),
    });
    await at.world.setClock(new Date(EPOCH).toISOString());
    const moments: { at: number; position: number; waits: string }[] = [];
    const note = async () => {
      const instant = Date.parse((await at.world.clock()).at);
      const { position } = (await at.world.map())[0]!;
      // Of several at one moment, the last is what a branch gets.
      if (moments.at(-1)?.at === instant && moments.at(-1)?.position === position) moments.pop();
      moments.push({ at: instant, position, waits: waiting(at) });
    };
    const steps: (() => Promise<unknown>)[] = [
      () => at.ask('PUT', '/hooks/h', { url: 'https://hook.test/', secret: 's' }),
      () => at.ask('POST', '/due/a', { at: EPOCH + 60_000 }),
      () => at.ask('POST', '/due/b', { at: EPOCH + 10_000, payload: { times: 3, every: 5000 } }),
      () => at.ask('PUT', '/notes/x', { n: 1 }),
      () => at.ask('POST', '/due/a', { at: EPOCH + 30_000 }),
      () => at.world.advanceClock('10s'),
      () => at.world.advanceClock('5s'),
      () => at.ask('DELETE', '/due/a'),
      () => at.ask('DELETE', '/due/never'),
      () => at.world.advanceClock('5s'),
      () => at.ask('POST', '/due/c', { at: EPOCH + 40_000, payload: { throw: true } }),
      () => at.world.advanceClock('30s'),
    ];
    for (const step of steps) {
      await step();
      await at.world.settled();
      await note();
    }
    t.ok(new Set(moments.map(({ waits }) => waits)).size >= 6, 'the history has many states');
    t.ok(
      moments.some(({ waits }) => waits === 'b@10000 a@30000'),
      'in the order they would happen',
    );
    for (const { at: instant, position, waits } of moments) {
      t.equal(shown(dueAt(at.sql, 'note', instant, position)), waits, `at ${instant - EPOCH}, ${position}`);
    }
    t.equal(shown(dueAt(at.sql, 'note', EPOCH - 1, 99)), '', 'before the world began nothing waited');
    const [first] = dueAt(at.sql, 'note', EPOCH + 10_000, 99);
    t.match(first, { twin: 'note', key: 'b', payload: '{"times":2,"every":5000}', cause: /^note:\d+$/ });
    t.equal(
      at.sql.get<{ n: number }>("SELECT count(*) AS n FROM due_past WHERE substr(key, 1, 1) = '~'")?.n,
      0,
      'retries of webhooks are not part of it',
    );
  },
);

t.test('[storage branches] a wall clock that goes back does not bring back what was cancelled', async t => {
  await using at = await openNoteWorld();
  await at.ask('POST', '/due/a', { at: EPOCH + 60_000 });
  at.wall.at -= 30_000;
  await at.ask('DELETE', '/due/a');
  t.equal(shown(dueAt(at.sql, 'note', EPOCH, 0)), '');
});

t.test('[storage] a call that fails leaves no trace of what it had asked for', async t => {
  await using at = await openNoteWorld();
  await at.ask('POST', '/due/a', { at: EPOCH + 60_000 }, { scope: 'read' });
  t.strictSame(at.sql.all('SELECT * FROM due_past'), []);
});
