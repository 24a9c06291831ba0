// A world's store with as many records as a bench wants. One story is told to the real twin by its API; then it is
// repeated under other ids by a twin of the same records in the same store, so that what is measured afterwards is a
// store as the twin would have filled it, made in seconds.
import { mkdirSync } from 'node:fs';
import { openBlobs } from '../../control/node/blobs.ts';
import { openSqlite } from '../../control/node/sqlite.ts';
import { openWorld } from '../../control/world/open-world.ts';
import type { World } from '../../control/world/world.ts';
import type { Call } from '../../twins/kit/call.ts';
import { mountTwin } from '../../twins/kit/mount.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { MountedTwin, Twin } from '../../twins/kit/twin.ts';
import type { RecordBody } from '../../twins/kit/tx.ts';
import { worldPorts } from '../world-ports.ts';
import type { Ask, Known } from './asks.ts';

export type Story = {
  readonly vendor: string;
  readonly host: string;
  readonly twin: Twin;
  /** What there is once, whatever the size; what it returns can be asked for. */
  readonly before: (tell: Tell) => Promise<Known>;
  /** What is repeated. Words of it that begin with `nth-` are made different each time, as ids are. */
  readonly tell: (tell: Tell) => Promise<void>;
  /** Record types that a world has one of. */
  readonly single: readonly string[];
};

/** Answers the body of a 200; throws on any other. */
export type Tell = (ask: Ask) => Promise<{ readonly id: string }>;

const STORIES_A_CALL = 500;
/** Of each kind, how many are named to be asked for. */
const KNOWN_MAX = 200;
const WORD = /\bnth-[a-z]+\b/g;
/** The story is old when it is asked for: what it leaves for later has happened. */
const PAST_MS = 3_600_000;

export type Filled = {
  /** What can be asked for, by kind: records' ids by their type, and words of the story. */
  readonly known: Known;
};

export async function fill(
  story: Story,
  records: number,
  files: { readonly database: string; readonly blobs: string; readonly store: string; readonly name: string },
): Promise<Filled> {
  mkdirSync(files.store, { recursive: true });
  const sql = openSqlite(files.database);
  let now = Date.now() - PAST_MS;
  const open = (twin: MountedTwin): Promise<World> =>
    openWorld({
      name: files.name,
      sql,
      durability: sql,
      blobs: openBlobs(files.blobs),
      ...worldPorts({ now: () => now }),
      twins: [{ id: story.vendor, twin, package: null }],
    });

  const told = await open(mountTwin(story.twin, null));
  const tell = teller(told, story);
  const known = await story.before(tell);
  const { position } = (await told.map())[0]!;
  await story.tell(tell);
  // What it asked to be woken for comes with the next call.
  now += PAST_MS / 2;
  await told.log(story.vendor, 0);
  const settled = await told.setClock(new Date(now).toISOString());
  if (!settled.ok) throw new Error(settled.message);
  const entries = await told.log(story.vendor, position);
  const written = new Map<string, Written>();
  for (const { type, id, after } of entries!.entries.flatMap(entry => entry.changes)) {
    if (after !== undefined && !story.single.includes(type))
      written.set(`${type}/${id}`, { type, id, text: JSON.stringify(after) });
  }
  await told.close();
  // The world's own time from here on.
  sql.run("DELETE FROM meta WHERE k = 'clock'");

  const repeat = new Repeated([...written.values()]);
  const stories = Math.max(Math.round(records / written.size) - 1, 0);
  const every = Math.max(Math.floor(stories / KNOWN_MAX), 1);
  const named: { [kind: string]: string[] } = {};
  const note = (n: number, story: readonly Written[], words: readonly string[]): void => {
    if (n % every !== 0) return;
    for (const { type, id } of story) (named[type] ??= []).push(id);
    for (const word of words) (named[word.split('-')[1]!] ??= []).push(word);
  };
  note(0, repeat.first, repeat.words);
  let batch: readonly Written[] = [];
  const twin: Twin = {
    ...story.twin,
    respond: (_call, tx) => {
      for (const { type, id, text } of batch) tx.put(type, id, JSON.parse(text) as RecordBody);
      tx.kind('twin.seeded');
      return { status: 200, headers: [], body: '' };
    },
  };
  const filling = await open({ twin, respond: twin.respond });
  for (let n = 0; n < stories; ) {
    const told = Array.from({ length: Math.min(STORIES_A_CALL, stories - n) }, () => {
      n++;
      const again = repeat.again(n);
      note(n, again.story, again.words);
      return again.story;
    });
    batch = told.flat();
    await filling.call(story.vendor, callOf(story, { method: 'POST', path: '/' }));
  }
  await filling.close();
  sql.close();
  return { known: { ...named, ...known } };
}

type Written = { readonly type: string; readonly id: string; readonly text: string };

/** The story under other ids: of the same length and prefix, scattered as a vendor's are, and the same in every run. */
class Repeated {
  readonly first: readonly Written[];
  readonly words: readonly string[];
  readonly #names: readonly string[];
  readonly #found: RegExp;

  constructor(first: readonly Written[]) {
    this.first = first;
    this.words = [...new Set(first.flatMap(({ text }) => text.match(WORD) ?? []))];
    this.#names = [...new Set([...first.map(({ id }) => id), ...this.words])];
    this.#found = new RegExp(this.#names.map(name => name.replaceAll(/[^\w-]/g, '\\$&')).join('|'), 'g');
  }

  again(n: number): { readonly story: readonly Written[]; readonly words: readonly string[] } {
    const renamed = new Map(this.#names.map((name, nth) => [name, other(name, n, nth)]));
    const story = this.first.map(({ type, id, text }) => ({
      type,
      id: renamed.get(id)!,
      text: text.replaceAll(this.#found, name => renamed.get(name)!),
    }));
    return { story, words: this.words.map(word => renamed.get(word)!) };
  }
}

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function other(name: string, n: number, nth: number): string {
  if (name.startsWith('nth-')) return `${name}-${n}`;
  const prefix = name.slice(0, name.lastIndexOf('_') + 1);
  // splitmix32, over and over: a million of them differ, which is all that is asked of it.
  let state = Math.imul(n, 0x9e3779b9) ^ Math.imul(nth + 1, 0x85ebca6b);
  let made = n.toString(36).padStart(5, '0').split('').reverse().join('');
  while (prefix.length + made.length < name.length) {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    made = BASE_62[((mixed ^ (mixed >>> 15)) >>> 0) % 62]! + made;
  }
  return prefix + made;
}

function teller(world: World, story: Story): Tell {
  return async ask => {
    const reply: Reply = await world.call(story.vendor, callOf(story, ask));
    if (reply.status !== 200 || typeof reply.body !== 'string')
      throw new Error(`${ask.method} ${ask.path}: ${reply.status} ${String(reply.body)}`);
    return JSON.parse(reply.body) as { id: string };
  };
}

function callOf({ host }: Story, { method, path, form, json, at }: Ask): Call {
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  return {
    method,
    host: at ?? host,
    via: 'host',
    path,
    query: '',
    headers: {
      authorization: 'Bearer sk_test_bench',
      'content-type': type,
      'anthropic-version': '2023-06-01',
    },
    body: new TextEncoder().encode(form ?? (json === undefined ? '' : JSON.stringify(json))),
    caller: 'token',
    scope: 'write',
    trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
  };
}
