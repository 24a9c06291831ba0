// The journal of one twin: those that are named in their answers, waiting or written, within bounds.
import t from 'tap';
import { openSqlite } from '../../../../control/node/sqlite.ts';
import { REQUEST_NAMED_LINES_MAX, REQUEST_SCANNED_LINES_MAX } from '../../../../control/world/limits.ts';
import { Exchanges } from '../../../../control/world/requests/exchanges.ts';
import type { Line } from '../../../../control/world/requests/journal.ts';
import { TwinRequests } from '../../../../control/world/requests/twin-requests.ts';
import { migrate } from '../../../../control/world/store/schema.ts';

const lineOf = (answered: string | null, more: Partial<Line> = {}): Line => ({
  ...{ at: 1_000, name: 'note', method: 'GET', path: '/notes/n1', route: '/notes/{note}', status: 200 },
  ...{ ms: 1.5, unmatched: false, caller: 'token', trace: 't', span: 's', answered },
  ...more,
});

const journalOf = () => {
  const sql = openSqlite(':memory:');
  migrate(sql);
  const waiting: Line[] = [];
  const requests = new TwinRequests({ sql, journal: { waiting }, exchanges: new Exchanges(), twin: 'note' });
  const written = (answered: string | null, name = 'note', count = 1): void =>
    void sql.run(
      `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?)
       INSERT INTO journal(at, name, route, status, us, unmatched, caller, trace, span, answered)
       SELECT 1000, ?, 'GET /notes/{note}', 200, 1500, 0, 'token', 't', 's', ? FROM n`,
      count,
      name,
      answered,
    );
  return { sql, waiting, requests, written };
};

t.test('[4.4] what waits comes before what is written, each once, and other twins’ are not told', t => {
  const { waiting, requests, written } = journalOf();
  written('req_1');
  written('req_other', 'other');
  written(null);
  written('req_2');
  waiting.push(lineOf('req_3'), lineOf('req_x', { name: 'other' }), lineOf(null), lineOf('req_4'));
  const first = requests.page({ limit: 3 });
  t.strictSame(
    first.items.map(({ id, key, path, ms }) => [id, key, path, ms]),
    [
      ['req_4', 8, '/notes/{note}', 1.5],
      ['req_3', 5, '/notes/{note}', 1.5],
      ['req_2', 4, '/notes/{note}', 1.5],
    ],
  );
  const rest = requests.page({ limit: 3, before: first.before! });
  t.strictSame(
    rest.items.map(({ id }) => id),
    ['req_1'],
  );
  t.equal(rest.before, null);
  t.match(requests.one('req_4'), { request: { key: 8 }, position: null, exchange: null });
  t.match(requests.one('req_1'), { request: { key: 1 } });
  t.equal(requests.one('req_other'), null);
  t.end();
});

t.test(
  '[limits] a page looks through so many lines and says where to go on; one is looked for among the newest',
  t => {
    const { requests, written } = journalOf();
    written('req_old');
    written('req_own');
    written(null, 'other', REQUEST_SCANNED_LINES_MAX + 5);
    const first = requests.page({ limit: 3 });
    t.strictSame(first.items, []);
    const rest = requests.page({ limit: 3, before: first.before! });
    t.strictSame(
      rest.items.map(({ id }) => id),
      ['req_own', 'req_old'],
    );
    t.ok(requests.one('req_old') !== null);
    written(null, 'other', REQUEST_NAMED_LINES_MAX);
    t.equal(requests.one('req_old'), null);
    t.end();
  },
);
