// Calls of one turn are committed together (ports/sql.ts `grouped`): what that must not change.
import t from 'tap';
import { openSqlite } from '../../../../control/node/sqlite.ts';
import { checkStore } from '../../../kit/log-fold.ts';
import { openNoteWorld } from '../../../kit/note-world.ts';

/** What another process would find, were this one killed now. */
const committed = (file: string): number => {
  const other = openSqlite(file);
  try {
    return other.get<{ n: number }>('SELECT count(*) AS n FROM entry')!.n;
  } finally {
    other.close();
  }
};

t.test(
  '[storage 25] no answer, no news and no webhook comes before what it tells of is committed',
  async t => {
    const file = `${t.testdir()}/world.db`;
    const seen: string[] = [];
    await using at = await openNoteWorld({
      file,
      send: () => {
        seen.push(`webhook at ${committed(file)}`);
        return { ok: true, status: 200, ms: 1 };
      },
    });
    at.world.news.follow(news => {
      if (news.kind === 'entry') seen.push(`news at ${committed(file)}`);
    });
    await at.ask('PUT', '/hooks/h', { url: 'https://hook.test/', secret: 's' });
    seen.length = 0;
    const answers = ['a', 'b', 'c'].map(id =>
      at.ask('PUT', `/notes/${id}`, { n: 1 }).then(() => seen.push(`answer at ${committed(file)}`)),
    );
    const looked = at
      .ask('GET', '/notes/a')
      .then(({ status }) => seen.push(`${status} at ${committed(file)}`));
    t.equal(committed(file), 1, 'nothing of this turn yet');
    await Promise.all([...answers, looked]);
    await at.world.settled();
    const [four, rest] = [
      seen.filter(text => text.endsWith(' at 4')),
      seen.filter(text => /at [0-3]$/.test(text)),
    ];
    t.strictSame(rest, []);
    t.equal(four.filter(text => text.startsWith('answer')).length, 3);
    t.ok(four.includes('200 at 4'), 'one who looked had seen it, and was told no earlier');
    t.ok(four.some(text => text.startsWith('news')));
    t.equal(seen.filter(text => text.startsWith('webhook')).length, 3);
  },
);

t.test(
  '[storage 1–3, 25] calls of a group that was lost are answered as failed, and nothing of them is left',
  async t => {
    const file = `${t.testdir()}/world.db`;
    await using at = await openNoteWorld({ file });
    await at.ask('PUT', '/notes/first', { n: 1 });
    const pages = at.sql.get<{ page_count: number }>('PRAGMA page_count')!.page_count;
    at.sql.get(`PRAGMA max_page_count = ${pages + 20}`);
    const calls = Array.from({ length: 12 }, (_, n) =>
      at.ask('PUT', `/notes/n${n}`, { text: 'x'.repeat(n === 0 ? 1 : 30_000) }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    t.ok(statuses.includes(500), 'the disk was full');
    const { body } = await at.ask('POST', '/list', { limit: 100 });
    const kept = body.items.filter((note: { id: string }) => note.id !== 'first').length;
    t.equal(kept, statuses.filter(status => status === 200).length, 'as many are there as were acknowledged');
    await checkStore(at);
    at.sql.get('PRAGMA max_page_count = 1000000');
    t.equal((await at.ask('PUT', '/notes/last', { n: 2 })).status, 200);
    await checkStore(at);
    t.equal((await at.world.map())[0]!.position, kept + 2);
  },
);

t.test('a call that fails takes none of its turn with it', async t => {
  await using at = await openNoteWorld();
  const answers = await Promise.all([
    at.ask('PUT', '/notes/a', { n: 1 }),
    at.ask('POST', '/throw', {}),
    at.ask('PUT', '/notes/b', { n: 2 }, { scope: 'read' }),
    at.ask('PUT', '/notes/c', { n: 3 }),
  ]);
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 500, 403, 200],
  );
  const { entries } = (await at.world.log('note', 0))!;
  t.strictSame(
    entries.map(({ position, changes }) => [position, changes[0]!.id]),
    [
      [1, 'a'],
      [2, 'c'],
    ],
  );
  await checkStore(at);
});
