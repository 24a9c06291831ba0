// `wrld world log` and `wrld world timeline`: what happened, of one twin oldest first, or of all newest first.
import type { Entry } from '../../control/world/log/entry.ts';
import type { StoryLine } from '../../control/world/story/line.ts';
import type { Command, Surround } from '../command.ts';
import { printEntry } from '../entry-text.ts';
import { FOLLOW_PAGE_ENTRIES_MAX } from '../limits.ts';
import { askWorld, problemOf, REACH_FLAGS, REACH_USAGE, reachWorld } from '../reached-world.ts';
import { printStory, storyCells } from '../story-text.ts';

type EntryList = { readonly entries: readonly Entry[]; readonly next: string | null };
/** In words; `--json` has the entries whole instead. */
type Story = { readonly lines: readonly StoryLine[]; readonly next: string | null };
type Timeline = { readonly entries: readonly { readonly twin: string; readonly position: number }[] };

export const worldLog: Command = {
  words: ['world', 'log'],
  summary: 'one twin’s log, oldest first',
  usage: `<twin>[:<position>] [--after <position>] ${REACH_USAGE}`,
  flags: {
    after: {
      type: 'value',
      value: '<position>',
      does: 'only entries after this position; 0, the default, is all',
    },
    ...REACH_FLAGS,
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world log stripe', 'every change of the Stripe twin, from its first'],
    ['wrld world log stripe:41', 'one entry, with the request that made it as it was sent'],
    ['wrld world log stripe --after 40 --json', 'whole entries, with each record before and after'],
  ],
  run: async (given, around) => {
    const [named] = given.operands;
    if (named === undefined) {
      around.output.error('wrld world log needs a twin: wrld world log stripe');
      return 2;
    }
    const one = ENTRY_ID.exec(named);
    if (one !== null) return showEntry(given, around, one[1]!, Number(one[2]));
    const twin = named;
    const after = given.values.get('after') ?? '0';
    const path = given.switches.has('json')
      ? `log/${encodeURIComponent(twin)}?after=${encodeURIComponent(after)}`
      : `story?${new URLSearchParams({ twin, after })}`;
    return askWorld<Story>(
      'world log',
      given,
      around,
      ({ client, own }) => client.get(own(path)),
      ({ lines, next }) => {
        const { output } = around;
        if (lines.length === 0) output.line(output.ink('dim', 'No entries.'));
        else printStory(output, lines);
        if (next !== null) output.line(output.ink('dim', `more: wrld world log ${twin} --after ${next}`));
      },
    );
  },
};

/** `<twin>:<position>` (2.13). */
const ENTRY_ID = /^(.+):([1-9]\d{0,14})$/;

async function showEntry(
  given: Parameters<Command['run']>[0],
  around: Surround,
  twin: string,
  position: number,
): Promise<number> {
  const { output } = around;
  const found = await reachWorld(given, around);
  if (!found.ok) {
    output.error(`wrld world log: ${found.why}`);
    return found.exit;
  }
  const { client, own } = found.world;
  const answered = await client.get(own(`log/${encodeURIComponent(twin)}?after=${position - 1}`));
  const why = problemOf(answered);
  const entry = why === null && answered.ok ? (answered.body as EntryList).entries[0] : undefined;
  if (entry === undefined) {
    output.error(`wrld world log: ${why ?? `${twin} has no entry ${position} yet`}`);
    return 1;
  }
  if (given.switches.has('json')) output.json(entry);
  else printEntry(output, entry);
  return 0;
}

export const worldTimeline: Command = {
  words: ['world', 'timeline'],
  summary: 'what happened in all twins, newest first',
  usage: `[--limit <number>] [--twin <twin>] [--trace <id>] [--before <cursor>] [--follow] ${REACH_USAGE}`,
  flags: {
    limit: { type: 'value', value: '<number>', does: 'entries of a page: 1 to 200, 50 unless given' },
    twin: { type: 'value', value: '<twin>', does: 'of this twin alone' },
    trace: {
      type: 'value',
      value: '<id>',
      does: 'of this W3C trace: a request, what it caused, its webhooks',
    },
    before: { type: 'value', value: '<cursor>', does: 'the page after the one that ended with this cursor' },
    follow: { type: 'switch', does: 'stay, and print each new entry as it lands; Ctrl-C ends it' },
    ...REACH_FLAGS,
  },
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world timeline', 'the newest 50 entries'],
    ['wrld world timeline --follow --twin stripe', 'watch the Stripe twin while a test runs'],
  ],
  run: async (given, around) => {
    const { output } = around;
    const query = new URLSearchParams();
    for (const name of ['limit', 'twin', 'trace', 'before']) {
      const value = given.values.get(name);
      if (value !== undefined) query.set(name, value);
    }
    if (given.switches.has('follow')) return follow(given, around, query);
    const resource = given.switches.has('json') ? 'timeline' : 'story';
    return askWorld<Story>(
      'world timeline',
      given,
      around,
      ({ client, own }) => client.get(own(`${resource}?${query}`)),
      ({ lines, next }) => {
        if (lines.length === 0) output.line(output.ink('dim', 'Nothing happened yet.'));
        else printStory(output, lines);
        if (next !== null) output.line(output.ink('dim', `more: --before ${next}`));
      },
    );
  },
};

async function follow(
  given: Parameters<Command['run']>[0],
  around: Surround,
  query: URLSearchParams,
): Promise<number> {
  const { output } = around;
  const json = given.switches.has('json');
  const found = await reachWorld(given, around);
  if (!found.ok) {
    output.error(`wrld world timeline: ${found.why}`);
    return found.exit;
  }
  const { client, own } = found.world;
  const seen = new Map<string, number>();
  const look = async (limit: string): Promise<string | null> => {
    query.set('limit', limit);
    const answered = await client.get(own(`${json ? 'timeline' : 'story'}?${query}`));
    const why = problemOf(answered);
    if (why !== null || !answered.ok) return why;
    const isNew = ({ twin, position }: Pick<StoryLine, 'twin' | 'position'>): boolean =>
      position > (seen.get(twin) ?? 0);
    const told = json ? (answered.body as Timeline).entries : (answered.body as Story).lines;
    for (const line of told.filter(isNew).reverse()) {
      seen.set(line.twin, line.position);
      if (json) output.json(line);
      else output.line(storyCells(line as StoryLine).join('  '));
    }
    return null;
  };
  let problem = await look(query.get('limit') ?? '10');
  if (problem === null) {
    const ended = await client.events(own('events'), async kind => {
      if (kind === 'entry' || kind === 'open') problem ??= await look(String(FOLLOW_PAGE_ENTRIES_MAX));
      return problem === null;
    });
    problem ??= ended;
  }
  output.error(`wrld world timeline: ${problem}`);
  return 1;
}
