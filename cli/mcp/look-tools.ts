// Tools that look: a model learns from them what happened in a world, and what the world can do.

import type { Entry } from '../../control/world/log/entry.ts';
import { fieldChanges } from '../../control/world/report/fields.ts';
import type { StoryLine } from '../../control/world/story/line.ts';
import { MCP_ENTRY_CHANGES_MAX, MCP_PAGE_DEFAULT, MCP_PAGE_MAX, MCP_RECORDS_DEFAULT } from '../limits.ts';
import { reportMarkdown } from '../report/markdown.ts';
import type { ToldReport } from '../report/report.ts';
import { type Asked, queryOf, type Told, type Tool, textOf, toldBy } from './tool.ts';

const TEXT = { type: 'string' } as const;
const TWIN = { ...TEXT, description: 'the vendor, as map names it: stripe' };
const limitOf = (usual: number): object => ({
  type: 'integer',
  minimum: 1,
  maximum: MCP_PAGE_MAX,
  description: `of a page; ${usual} unless given`,
});
const BEFORE = { ...TEXT, description: '`next` of the page before' };

const get = async <T>({ world }: Asked, path: string, tell: (body: T) => unknown): Promise<Told> =>
  toldBy(await world.client.get(world.own(path)), tell);

const FIND_ARGUMENTS = ['text', 'twin', 'type', 'limit', 'before'];

type FoundEntries = { readonly lines: readonly StoryLine[] };

type Page = { readonly entries: readonly { readonly entry: Entry }[]; readonly next: string | null };

export const LOOK_TOOLS: readonly Tool[] = [
  {
    name: 'status',
    title: 'The world',
    description:
      'What this world is: its name, its clock, its branches, and each twin (the simulated vendor) with its position in its log and whether a real vendor is behind it. Begin here.',
    takes: {},
    next: 'Start the world in its folder: wrld world up',
    run: async asked => {
      const { world } = asked;
      const [clock, twins, branches] = await Promise.all(
        ['clock', 'twins', 'branches'].map(path => world.client.get(world.own(path))),
      );
      // A host may make no branches.
      const made = branches!.ok && branches!.status === 200 ? branches!.body : { branches: [] };
      const at = toldBy(clock!, body => body);
      if (!at.ok) return at;
      return toldBy<{ readonly twins: unknown }>(twins!, body => ({
        world: world.name,
        clock: at.value,
        ...(made as object),
        twins: body.twins,
      }));
    },
  },
  {
    name: 'map',
    title: 'What is in the world',
    description:
      'Each twin with how many records of each type it holds. The types are what records and record take.',
    takes: {},
    next: 'Call status to see whether a world is up.',
    run: asked => get(asked, 'map', body => body),
  },
  {
    name: 'timeline',
    title: 'What happened',
    description:
      'Everything that happened, newest first: requests that changed something, what the vendor did by itself, webhooks. A page; its `next` is the `before` of the following one. An entry’s id (stripe:41) is what entry takes.',
    takes: {
      twin: { ...TWIN, description: 'of this twin alone' },
      limit: limitOf(MCP_PAGE_DEFAULT),
      before: BEFORE,
      trace: { ...TEXT, description: 'of this W3C trace id alone' },
    },
    next: 'Call map for the twins of the world; leave `before` out for the newest page.',
    run: asked =>
      get<Page>(
        asked,
        `timeline${queryOf({ limit: MCP_PAGE_DEFAULT, ...asked.args }, ['twin', 'limit', 'before', 'trace'])}`,
        ({ entries, next }) => ({ entries: entries.map(({ entry }) => brief(entry)), next }),
      ),
  },
  {
    name: 'entry',
    title: 'One entry',
    description:
      'One entry of the log whole: the request that made it, as it was sent, and each record that it changed, field by field, before and after.',
    takes: {
      id: { ...TEXT, pattern: '^[a-z0-9-]+:[1-9][0-9]*$', description: 'as timeline tells it: stripe:41' },
    },
    needs: ['id'],
    next: 'Call timeline for the ids that there are.',
    run: async asked => {
      const id = textOf(asked.args, 'id')!;
      const [twin, position] = id.split(':');
      const found = await get<{ readonly entries: readonly Entry[] }>(
        asked,
        `log/${twin}?after=${Number(position) - 1}`,
        ({ entries }) => entries[0],
      );
      if (!found.ok || found.value !== undefined)
        return found.ok ? { ok: true, value: whole(found.value as Entry) } : found;
      return { ok: false, why: `There is no entry ${id} yet.` };
    },
  },
  {
    name: 'find',
    title: 'Find by a text or an id',
    description:
      'The records of all twins that hold each word of a text, in whatever case, one whose id it is first; or, with `in`: "entries", the entries of the log that do, newest first. One call looks through some thousand: where `next` is not null, there is more to look through, whether something was found or not.',
    takes: {
      text: { ...TEXT, description: 'words or an id: ada lovelace, cus_123' },
      in: { type: 'string', enum: ['records', 'entries'], description: 'records unless given' },
      twin: { ...TWIN, description: 'of this twin alone' },
      type: { ...TEXT, description: 'records of this type, or entries that changed one' },
      limit: limitOf(MCP_PAGE_DEFAULT),
      before: BEFORE,
    },
    needs: ['text'],
    next: 'Call map for the twins and types that there are; leave `before` out to begin anew.',
    run: asked => {
      const query = queryOf({ limit: MCP_PAGE_DEFAULT, ...asked.args }, FIND_ARGUMENTS);
      return asked.args['in'] === 'entries'
        ? get<FoundEntries>(asked, `find/entries${query}`, ({ lines, ...rest }) => ({
            entries: lines.map(({ folded, actor, ...line }) => line),
            ...rest,
          }))
        : get(asked, `find/records${query}`, body => body);
    },
  },
  {
    name: 'report',
    title: 'What was done to which vendor',
    description:
      'The review of a piece of work: records created, changed and ended with their fields, the operations that were asked and how well each is modelled, refusals, webhooks, and the requests that a deploy would make to the real vendors. As Markdown for a pull request, or as JSON.',
    takes: {
      since: {
        ...TEXT,
        description:
          'an instant of wall time, an entry (stripe:41), a run (run-1a2b3c4d) or "run" for the newest; all unless given',
      },
      run: { ...TEXT, description: 'between the beginning and the end of this run, or of "run", the newest' },
      changeset: { ...TEXT, description: 'of this changeset alone' },
      format: { type: 'string', enum: ['markdown', 'json'], description: 'markdown unless given' },
    },
    next: 'Leave `since` out for everything, or take an id of timeline.',
    run: asked =>
      get<ToldReport>(asked, `report${queryOf(asked.args, ['since', 'run', 'changeset'])}`, report =>
        asked.args['format'] === 'json' ? report : reportMarkdown(report),
      ),
  },
  {
    name: 'requests',
    title: 'Requests, counted',
    description: 'How often each twin was asked lately, by route, with errors and response times.',
    takes: { hours: { type: 'integer', minimum: 1, description: 'the last so many; 24 unless given' } },
    next: 'Ask for fewer hours.',
    run: asked => get(asked, `requests${queryOf(asked.args, ['hours'])}`, body => body),
  },
  {
    name: 'refusals',
    title: 'What was refused',
    description:
      'What programs asked for and the world did not let out: the destination, the rule, what is missing, and what would help. Look here first when a program cannot reach something.',
    takes: { limit: limitOf(MCP_PAGE_DEFAULT) },
    next: 'Call status to see whether a world is up.',
    run: asked =>
      get<{ readonly refusals: readonly unknown[] }>(asked, 'refusals', ({ refusals }) => {
        const limit = Number(asked.args['limit'] ?? MCP_PAGE_DEFAULT);
        return { refusals: refusals.slice(0, limit), more: Math.max(0, refusals.length - limit) };
      }),
  },
  {
    name: 'coverage',
    title: 'Is an operation modelled?',
    description:
      'How well a twin knows the operations of a path: `modelled` behaves as the vendor’s, `generic` keeps and returns what it is given without the vendor’s rules, `unmodelled` is refused. No operation: the vendor has none at that path, or the twin has not heard of it. Ask before you write code against an operation.',
    takes: {
      twin: TWIN,
      path: {
        ...TEXT,
        pattern: '^/',
        description: '/v1/customers/cus_1, or a template: /v1/customers/{customer}',
      },
      method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    },
    needs: ['twin', 'path'],
    next: 'Call map for the twins of the world.',
    run: asked =>
      get(
        asked,
        `twins/${encodeURIComponent(textOf(asked.args, 'twin')!)}/coverage${queryOf(asked.args, ['path', 'method'])}`,
        body => body,
      ),
  },
  {
    name: 'records',
    title: 'Records of a type',
    description:
      'The records of one type as they are now, newest first; a page, whose `next` is the `before` of the following one.',
    takes: {
      twin: TWIN,
      type: { ...TEXT, description: 'as map names it: customer' },
      limit: limitOf(MCP_RECORDS_DEFAULT),
      before: BEFORE,
    },
    needs: ['twin', 'type'],
    next: 'Call map for the twins and the types of their records.',
    run: asked => {
      const { args } = asked;
      const [twin, type] = ['twin', 'type'].map(name => encodeURIComponent(textOf(args, name)!));
      const query = queryOf({ limit: MCP_RECORDS_DEFAULT, ...args }, ['limit', 'before']);
      return get(asked, `records/${twin}/${type}${query}`, body => body);
    },
  },
  {
    name: 'record',
    title: 'One record',
    description: 'One record as it is now.',
    takes: { twin: TWIN, type: { ...TEXT, description: 'as map names it: customer' }, id: TEXT },
    needs: ['twin', 'type', 'id'],
    next: 'Call records for those that there are; timeline tells what became of one that is gone.',
    run: asked => {
      const path = ['twin', 'type', 'id'].map(name => encodeURIComponent(textOf(asked.args, name)!));
      return get(asked, `records/${path.join('/')}`, body => body);
    },
  },
  {
    name: 'clock',
    title: 'The clock',
    description:
      'The instant that every twin stamps from, and whether it is set (`frozen`) or follows the wall clock. A set clock stands until it is advanced.',
    takes: {},
    next: 'Call status to see whether a world is up.',
    run: asked => get(asked, 'clock', body => body),
  },
  {
    name: 'changesets',
    title: 'Changesets',
    description:
      'What was cut to be read, approved and deployed: each with its message, its checks, its approvals and why it may not be deployed yet. report with `changeset` tells its records and requests.',
    takes: { name: { ...TEXT, description: 'of one of them; all unless given' } },
    next: 'Leave `name` out for those that there are.',
    run: asked => {
      const name = textOf(asked.args, 'name');
      return get(
        asked,
        `changesets${name === undefined ? '' : `/${encodeURIComponent(name)}`}`,
        body => body,
      );
    },
  },
];

/** A line of the timeline. */
function brief({ id, kind, occurredAt, caller, actor, changes, request, cause, delivery }: Entry): object {
  const shown = changes.slice(0, MCP_ENTRY_CHANGES_MAX);
  return {
    id,
    at: occurredAt,
    kind,
    by: caller ?? actor.type,
    ...(request === undefined ? {} : { request: `${request.method} ${request.path}` }),
    records: shown.map(({ op, type, id: record, before }) => {
      const what = op === 'delete' ? 'ended' : before === undefined ? 'made' : 'changed';
      return `${what} ${type} ${record}`;
    }),
    ...(changes.length > shown.length ? { moreRecords: changes.length - shown.length } : {}),
    ...(cause === undefined ? {} : { cause }),
    ...(delivery === undefined ? {} : { webhook: delivery }),
  };
}

function whole(entry: Entry): object {
  const shown = entry.changes.slice(0, MCP_ENTRY_CHANGES_MAX);
  return {
    ...entry,
    changes: shown.map(({ op, type, id, before, after }) => ({
      op,
      type,
      id,
      ...fieldChanges(before, after),
    })),
    ...(entry.changes.length > shown.length ? { moreChanges: entry.changes.length - shown.length } : {}),
  };
}
