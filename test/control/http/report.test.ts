// GET …/report over a site: whose refusals are told, and what the endpoint says to what it cannot read.
import t from 'tap';
import type { SeenRefusal } from '../../../control/http/surroundings.ts';
import { openTestSite } from '../../kit/site.ts';

const refusal = (nth: number, run: string, target: string, at: string): SeenRefusal => ({
  ...{ nth, run, at, agent: null },
  record: {
    kind: 'wrld-world-refusal',
    version: 1,
    capability: 'network.egress',
    target,
    missing: 'grant',
    rule: 'not-granted',
    reason: 'The world lists no grant for it.',
    see: 'http://127.0.0.1:4000/reference/refusals#not-granted',
  },
});

/** Newest first, as a host has them. */
const REFUSALS = [
  refusal(5, 'run-0b', 'https://other.test/', '2026-01-01T00:00:05.000Z'),
  refusal(4, 'default', 'https://x.test/b', '2026-01-01T00:00:04.000Z'),
  refusal(3, 'run-0a', 'https://x.test/a?key=2', '2026-01-01T00:00:03.000Z'),
  refusal(2, 'run-0a', 'https://x.test/a?key=1', '2026-01-01T00:00:02.000Z'),
  refusal(1, 'run-0a', 'https://old.test/', '2026-01-01T00:00:00.000Z'),
];

t.test(
  '[7] each thing that was refused is told once, of this world’s own runs, without its query',
  async t => {
    await using site = await openTestSite({
      refusals: REFUSALS,
      runs: {
        declarations: () => [],
        seen: () => [{ name: 'run-0a', openedAt: '2026-01-01T00:00:01.000Z', closedAt: null }],
        open: async () => null,
        close: async () => false,
      },
    });
    const ask = (query: string) =>
      site.ask({ target: `/-/acme/notes/report${query}`, headers: [['x-wrld-token', site.readToken]] });
    const told = async (query: string) =>
      ((await ask(query)).json.refusals as { target: string; count: number }[]).map(({ target, count }) => [
        target,
        count,
      ]);
    t.strictSame(await told(''), [
      ['https://x.test/b', 1],
      ['https://x.test/a', 2],
      ['https://old.test/', 1],
    ]);
    for (const since of ['run', 'run-0a', '2026-01-01T00:00:01Z'])
      t.strictSame(
        await told(`?since=${since}`),
        [
          ['https://x.test/b', 1],
          ['https://x.test/a', 2],
        ],
        since,
      );
    t.match(await ask('?since=run-ffff'), { status: 404, json: { error: { code: 'no-such-run' } } });
    t.match(await ask('?since=run&changeset=x'), { status: 400, json: { error: { code: 'bad-since' } } });
    t.strictSame(await told('?run=run-0a'), [['https://x.test/a', 2]], 'of that run alone');
    t.strictSame(await told('?run=run'), [['https://x.test/a', 2]]);
    t.match(await ask('?run=run-ffff'), { status: 404, json: { error: { code: 'no-such-run' } } });
    t.match(await ask('?run=x'), { status: 400, json: { error: { code: 'bad-run' } } });
    t.match(await ask('?run=run&since=run'), { status: 400, json: { error: { code: 'bad-since' } } });
    t.match(await ask('?changeset=x'), { status: 404, json: { error: { code: 'no-such-changeset' } } });
    t.match(await ask('?since='), { status: 200 }, 'what is empty is not set');
  },
);

t.test('[4.6] coverage and records say what they do not know', async t => {
  await using site = await openTestSite();
  const ask = (path: string) =>
    site.ask({ target: `/-/acme/notes/${path}`, headers: [['x-wrld-token', site.readToken]] });
  t.strictSame((await ask('twins/note/coverage?path=/notes')).json.operations, [], 'a twin that tells none');
  t.match(await ask('records/note/none'), { status: 200, json: { records: [], next: null } });
  t.match(await ask('records/note/note/a%2Fb'), { status: 404, json: { error: { code: 'no-such-record' } } });
});
