// Two logs as one list: every line once, the newest first, from wherever one goes on.
import t from 'tap';
import { openSqlite } from '../../../../control/node/sqlite.ts';
import { REQUEST_SCANNED_LINES_MAX } from '../../../../control/world/limits.ts';
import { Exchanges } from '../../../../control/world/requests/exchanges.ts';
import type { OutsideLine } from '../../../../control/world/requests/outside.ts';
import {
  type LinesAsk,
  type LinesCursor,
  RequestLines,
} from '../../../../control/world/requests/request-lines.ts';
import { migrate } from '../../../../control/world/store/schema.ts';

const START = Date.UTC(2026, 2, 10, 10);
const ALL: LinesAsk = { limit: 7, before: null, since: null, outcome: null, host: null, text: null };

const outsideLine = (seq: number, at: number, more: Partial<OutsideLine> = {}): OutsideLine => ({
  ...{ seq, at, outcome: 'granted', run: 'default', method: 'GET', host: 'rates.test', path: `/r/${seq}` },
  ...{ rule: null, status: 200, ms: 1, trace: null },
  ...more,
});

const cursorOf = (text: string): LinesCursor => {
  const [journal = 0, outside = 0] = text.split('.').map(Number);
  return { journal, outside };
};

const linesOf = () => {
  const sql = openSqlite(':memory:');
  migrate(sql);
  const note = (at: number, { route = 'GET /notes/{note}', status = 200, name = 'note' } = {}): void =>
    void sql.run(
      "INSERT INTO journal(at, name, route, status, us, unmatched, caller, trace, span) VALUES (?, ?, ?, ?, 1500, 0, 'token', NULL, NULL)",
      at,
      name,
      route,
      status,
    );
  const twin = () => ({ host: 'api.note.test' });
  return { sql, note, lines: new RequestLines({ sql, exchanges: new Exchanges(), twin }) };
};

/** Every page, by the cursors that it is told. */
const walk = (lines: RequestLines, outside: readonly OutsideLine[], ask: LinesAsk): readonly string[] => {
  const seen: string[] = [];
  let before = ask.before;
  for (;;) {
    const page = lines.page({ ...ask, before }, outside);
    seen.push(...page.lines.map(({ id }) => id));
    if (page.next === null) return seen;
    before = cursorOf(page.next);
  }
};

t.test('[4.9] pages of any size have every request once, newest first', t => {
  const { sql, note, lines } = linesOf();
  const outside: OutsideLine[] = [];
  for (let n = 0; n < 40; n++) {
    if (n % 3 === 0 || (n > 20 && n < 30)) outside.push(outsideLine(1000 + n, START + n));
    else note(START + n);
  }
  const whole = lines.page({ ...ALL, limit: 200 }, outside);
  t.equal(whole.lines.length, 40);
  t.equal(whole.next, null);
  t.strictSame(
    whole.lines.map(({ at }) => Date.parse(at)),
    Array.from({ length: 40 }, (_, n) => START + 39 - n),
  );
  for (const limit of [1, 2, 3, 7, 39, 40, 41])
    t.strictSame(
      walk(lines, outside, { ...ALL, limit }),
      whole.lines.map(({ id }) => id),
      `pages of ${limit}`,
    );
  sql.close();
  t.end();
});

t.test('[4.9] what came since is asked for by the newest that was told', t => {
  const { sql, note, lines } = linesOf();
  t.equal(lines.page(ALL, []).newest, '0.0', 'of nothing');
  note(START);
  const outside = [outsideLine(5, START + 1)];
  const { newest } = lines.page(ALL, outside);
  t.strictSame(lines.page({ ...ALL, since: cursorOf(newest) }, outside).lines, []);
  note(START + 2);
  outside.push(outsideLine(6, START + 3));
  const since = lines.page({ ...ALL, since: cursorOf(newest) }, outside);
  t.strictSame(
    since.lines.map(({ id }) => id),
    ['o6', 't2'],
  );
  t.equal(since.next, null);
  for (let n = 0; n < 10; n++) note(START + 4 + n);
  t.not(
    lines.page({ ...ALL, since: cursorOf(since.newest) }, outside).next,
    null,
    'more than a page is said to be',
  );
  sql.close();
  t.end();
});

t.test('[4.9] requests by what became of them, by host and by what was asked', t => {
  const { sql, note, lines } = linesOf();
  note(START, { route: 'POST /notes' });
  note(START + 1, { route: 'GET /notes/{note}', status: 404 });
  note(START + 2, { name: 'link:real', route: 'GET /v1/x' });
  const outside = [
    outsideLine(1, START + 3),
    outsideLine(2, START + 4, { outcome: 'refused', rule: 'not-granted', status: 502, host: 'evil.test' }),
    outsideLine(3, START + 5, { status: 0 }),
    outsideLine(4, START + 6, { method: 'CONNECT', path: null, status: 0 }),
  ];
  const ids = (more: Partial<LinesAsk>) => lines.page({ ...ALL, ...more }, outside).lines.map(({ id }) => id);
  t.strictSame(ids({ outcome: 'twin' }), ['t2', 't1']);
  t.strictSame(ids({ outcome: 'granted' }), ['o4', 'o3', 'o1', 't3'], 'what a link forwards went out');
  t.strictSame(ids({ outcome: 'refused' }), ['o2']);
  t.strictSame(
    ids({ outcome: 'failed' }),
    ['o3', 't2'],
    'cut, or answered so; a refusal is none, nor a tunnel',
  );
  t.strictSame(ids({ host: 'note' }), ['t2', 't1'], 'a twin');
  t.strictSame(ids({ host: 'evil' }), ['o2']);
  t.strictSame(ids({ text: 'post api.note.test/no' }), ['t1']);
  t.strictSame(ids({ text: 'post api' }), ['t1']);
  t.strictSame(ids({ text: 'not-granted' }), ['o2']);
  t.match(lines.one('t2', outside), {
    line: {
      method: 'GET',
      host: 'api.note.test',
      path: '/notes/{note}',
      status: 404,
      ms: 1.5,
      caller: 'token',
    },
    entry: null,
    exchange: null,
  });
  t.match(lines.one('o2', outside), { line: { rule: 'not-granted', twin: null, caller: 'default' } });
  t.equal(lines.one('t99', outside), null);
  t.equal(lines.one('o99', outside), null);
  for (let n = 0; n < 5; n++) note(START + 10 + n);
  t.strictSame(ids({ outcome: 'failed', limit: 2 }), ['o3', 't2'], 'behind more than a page of others');
  sql.close();
  t.end();
});

t.test('[4.9] a page looks through a bounded part of the journal, and says where to go on', t => {
  const { sql, note, lines } = linesOf();
  note(START, { route: 'GET /rare' });
  sql.transaction(() => {
    for (let n = 1; n <= REQUEST_SCANNED_LINES_MAX; n++) note(START + n);
  });
  const first = lines.page({ ...ALL, text: 'rare' }, []);
  t.strictSame(first.lines, []);
  t.strictSame(walk(lines, [], { ...ALL, text: 'rare' }), ['t1']);
  sql.close();
  t.end();
});
