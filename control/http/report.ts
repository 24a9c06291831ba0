// GET …/report: what was done in the world since some moment, or in a changeset, for those who review it.
import type { RefusalRecord } from '../../policy/refusal.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import { REPORT_ROWS_MAX } from '../world/limits.ts';
import type { Since } from '../world/report/since.ts';
import { formatInstant, parseInstant } from '../world/store/instant.ts';
import type { World } from '../world/world.ts';
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';
import type { SeenRefusal, SeenRun, Surroundings } from './surroundings.ts';

const ENTRY = /^([a-z0-9-]{1,100}):([1-9]\d{0,14})$/;
const RUN = /^run(?:-[0-9a-f]{1,32})?$/;

export const report: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/report',
    access: 'read',
    tag: 'Looking',
    summary:
      'what was done: records by field, operations with their tiers, webhooks, refusals, and what a deploy would ask of the vendors; since the world began (a branch: since it left its parent) unless `since` or `changeset` says otherwise',
    query: {
      since: {
        description:
          'an instant of wall time, an entry (`stripe:41`), a run (`run-1a2b3c4d`), or `run` for the newest',
        schema: TEXT,
      },
      run: {
        description:
          'of this run alone (`run` for the newest): what was done between its beginning and its end, by whomever',
        schema: TEXT,
      },
      changeset: { description: 'of this changeset, and of nothing else', schema: TEXT },
    },
    answers: {
      200: { description: 'the report', schema: ref('RunReport') },
      400: failure(
        '`since` or `run` cannot be read, or more than one of `since`, `run` and `changeset` was given',
      ),
      404: failure('there is no such entry, run or changeset'),
    },
    run: async (call, world, { around }) => {
      const params = new URLSearchParams(call.query);
      const since = params.get('since') || null;
      const changeset = params.get('changeset') || null;
      const run = params.get('run') || null;
      if ([changeset, since, run].filter(each => each !== null).length > 1)
        return problem(
          400,
          'bad-since',
          'A report is of a changeset, of a run, or since a moment: give one of them.',
        );
      if (run !== null) return ofRun(world, around, run);
      return changeset === null ? ofTime(world, around, since) : ofChangeset(world, changeset);
    },
  },
];

async function ofChangeset(world: World, name: string): Promise<Reply> {
  const found = await world.reports.changeset(name);
  return found.ok
    ? json(200, { ...found.report, refusals: [], refusalsLeft: 0 })
    : problem(404, found.why, found.message);
}

async function ofTime(world: World, around: Surroundings, text: string | null): Promise<Reply> {
  const read = sinceOf(text, around);
  if ('message' in read) return problem(read.status, read.code, read.message);
  const found = await world.reports.since(read.since);
  if (!found.ok) return problem(404, found.why, found.message);
  return json(200, { ...found.report, ...refusalsOf(around, found.since, null) });
}

async function ofRun(world: World, around: Surroundings, name: string): Promise<Reply> {
  if (!RUN.test(name))
    return problem(400, 'bad-run', '`run` is a run’s name (run-1a2b3c4d), or `run` for the newest.');
  const run = runNamed(name, around);
  if (run === undefined) return problem(404, ...NO_SUCH_RUN);
  const until = run.closedAt === null ? null : Date.parse(run.closedAt);
  const found = await world.reports.since({ at: Date.parse(run.openedAt) }, until);
  if (!found.ok) return problem(404, found.why, found.message);
  return json(200, { ...found.report, ...refusalsOf(around, found.since, run.name) });
}

/** `run`: the newest. */
function runNamed(text: string, { runs }: Surroundings): SeenRun | undefined {
  const seen = runs?.seen() ?? [];
  return text === 'run' ? seen[0] : seen.find(({ name }) => name === text);
}

const NO_SUCH_RUN = [
  'no-such-run',
  'No such run is known: runs are told of while the world is up (GET …/runs).',
] as const;

type SinceRead =
  | { readonly since: Since | null }
  | { readonly status: 400 | 404; readonly code: string; readonly message: string };

function sinceOf(text: string | null, around: Surroundings): SinceRead {
  if (text === null) return { since: null };
  const entry = ENTRY.exec(text);
  if (entry !== null) return { since: { entry: { twin: entry[1]!, position: Number(entry[2]) } } };
  if (RUN.test(text)) {
    const run = runNamed(text, around);
    if (run !== undefined) return { since: { at: Date.parse(run.openedAt) } };
    const [code, message] = NO_SUCH_RUN;
    return { status: 404, code, message };
  }
  const at = parseInstant(text);
  if (at !== null) return { since: { at } };
  const message =
    '`since` is an instant (2026-03-01T00:00:00Z), an entry (stripe:41), a run (run-1a2b3c4d), or `run` for the newest.';
  return { status: 400, code: 'bad-since', message };
}

type ToldRefusal = Pick<RefusalRecord, 'rule' | 'target' | 'missing' | 'reason' | 'see'> & {
  count: number;
  readonly agent: string | null;
};

/** Each thing once. The proxy is one for a world and its branches: which of them a run belongs to, its name says. */
function refusalsOf(
  { refusals, runs }: Surroundings,
  since: number,
  /** The one whose refusals are told; all of the world's own where it is null. */
  only: string | null,
): { readonly refusals: readonly ToldRefusal[]; readonly refusalsLeft: number } {
  const from = formatInstant(since);
  const own = new Set(runs?.seen().map(run => run.name));
  const isOwn = ({ run }: SeenRefusal): boolean =>
    only === null ? own.has(run) || !run.startsWith('run-') : run === only;
  const told = new Map<string, ToldRefusal>();
  for (const seen of refusals()) {
    if (seen.at < from || !isOwn(seen)) continue;
    const { rule, target: whole, missing, reason, see } = seen.record;
    const target = whole.split('?', 1)[0]!;
    const key = `${rule} ${target}`;
    const held = told.get(key);
    if (held === undefined)
      told.set(key, { rule, target, missing, reason, see, count: 1, agent: seen.agent });
    else held.count += 1;
  }
  const all = [...told.values()];
  return { refusals: all.slice(0, REPORT_ROWS_MAX), refusalsLeft: Math.max(0, all.length - REPORT_ROWS_MAX) };
}
