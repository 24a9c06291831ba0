// `wrld world find`: records and entries that hold a text, in the twins' words and in all that they keep.
import type { FoundRecord } from '../../control/world/story/find.ts';
import type { StoryLine } from '../../control/world/story/line.ts';
import type { Command } from '../command.ts';
import { FIND_SHOWN_DEFAULT, FIND_SHOWN_MAX } from '../limits.ts';
import { type Output, table } from '../output.ts';
import { problemOf, REACH_FLAGS, REACH_USAGE, type ReachedWorld, reachWorld } from '../reached-world.ts';
import { printStory, told } from '../story-text.ts';

const ENTRY_FILTERS = ['kind', 'caller', 'trace'];
const FILTERS = ['twin', 'type', ...ENTRY_FILTERS];

type Looked = { readonly looked: number; readonly next: string | null };
type Found<T> = { readonly found: readonly T[]; readonly more: boolean };

export const worldFind: Command = {
  words: ['world', 'find'],
  summary: 'the records and entries that hold a text, or are of a type, a kind, a caller',
  usage: `[<text>] [--twin <twin>] [--type <type>] [--kind <kind>] [--caller <caller>] [--trace <id>] [--limit <number>] ${REACH_USAGE}`,
  flags: {
    twin: { type: 'value', value: '<twin>', does: 'of this twin alone' },
    type: { type: 'value', value: '<type>', does: 'records of this type, and entries that changed one' },
    kind: {
      type: 'value',
      value: '<kind>',
      does: 'entries of this kind, or of those that begin with it: customer',
    },
    caller: { type: 'value', value: '<caller>', does: 'entries of this caller' },
    trace: { type: 'value', value: '<id>', does: 'entries of this W3C trace' },
    limit: {
      type: 'value',
      value: '<number>',
      does: `records and entries that are shown: 1 to ${FIND_SHOWN_MAX}, ${FIND_SHOWN_DEFAULT} of each unless given`,
    },
    ...REACH_FLAGS,
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world find "ada lovelace"', 'every word of it, in whatever case'],
    ['wrld world find cus_NffrFeUfNV2Hib', 'a record by its id, and each entry that names it'],
    ['wrld world find --kind charge --caller worker', 'entries alone, which need no text'],
  ],
  run: async (given, around) => {
    const { output } = around;
    const text = given.operands[0]?.trim() ?? '';
    const asked = new URLSearchParams(text === '' ? {} : { text });
    for (const name of FILTERS) {
      const value = given.values.get(name);
      if (value !== undefined) asked.set(name, value);
    }
    if (asked.size === 0) {
      output.error('wrld world find needs a text or a filter: wrld world find "ada lovelace"');
      return 2;
    }
    const limit = given.values.get('limit') ?? String(FIND_SHOWN_DEFAULT);
    if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > FIND_SHOWN_MAX) {
      output.error(`wrld world find: --limit is a number from 1 to ${FIND_SHOWN_MAX}`);
      return 2;
    }
    const reached = await reachWorld(given, around);
    if (!reached.ok) {
      output.error(`wrld world find: ${reached.why}`);
      return reached.exit;
    }
    const looking = { ...reached.world, asked, limit: Number(limit), output, looked: 0 };
    // A filter that no record has narrows the entries alone.
    const ofEntries = text === '' || ENTRY_FILTERS.some(name => asked.has(name));
    const records = ofEntries ? NONE : await gather<FoundRecord>(looking, 'records');
    const entries = typeof records === 'string' ? records : await gather<StoryLine>(looking, 'lines');
    output.progress(null);
    if (typeof records === 'string' || typeof entries === 'string') {
      output.error(`wrld world find: ${typeof records === 'string' ? records : entries}`);
      return 1;
    }
    if (given.switches.has('json')) output.json({ records, entries });
    else print(output, records, entries, looking.looked);
    return 0;
  },
};

const NONE: Found<never> = { found: [], more: false };

type Looking = ReachedWorld & {
  readonly asked: URLSearchParams;
  readonly limit: number;
  readonly output: Output;
  looked: number;
};

/** Look after look, until there are enough or there is no more; a text says why there is no answer. */
async function gather<T>(looking: Looking, what: 'records' | 'lines'): Promise<Found<T> | string> {
  const { client, own, asked, limit, output } = looking;
  const resource = what === 'lines' ? 'entries' : what;
  const found: T[] = [];
  const query = new URLSearchParams(asked);
  while (true) {
    query.set('limit', String(limit - found.length));
    const answered = await client.get(own(`find/${resource}?${query}`));
    const why = problemOf(answered);
    if (why !== null || !answered.ok) return why ?? 'the world does not answer';
    const page = answered.body as { [name in typeof what]: readonly T[] } & Looked;
    found.push(...page[what]);
    looking.looked += page.looked;
    if (page.next === null || found.length >= limit) return { found, more: page.next !== null };
    output.progress(`looked through ${looking.looked}, found ${found.length}`);
    query.set('before', page.next);
  }
}

function print(output: Output, records: Found<FoundRecord>, entries: Found<StoryLine>, looked: number): void {
  if (records.found.length + entries.found.length === 0)
    output.line(output.ink('dim', `Nothing: looked through ${looked} records and entries.`));
  if (records.found.length > 0) {
    const rows = records.found.map(({ twin, type, id, title, summary }) =>
      [twin, type, id, summary === null ? title : `${title}, ${summary}`].map(told),
    );
    for (const line of table(output, ['twin', 'type', 'id', 'in words'], rows)) output.line(line);
    if (records.more) output.line(output.ink('dim', 'more records: a longer text, --type or --limit'));
  }
  if (entries.found.length === 0) return;
  if (records.found.length > 0) output.line();
  printStory(output, entries.found);
  if (entries.more) output.line(output.ink('dim', 'more entries: a longer text, --kind or --limit'));
}
