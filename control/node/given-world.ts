// A world of this machine as an archive (control/world/archive): of its files, each store at one moment of its own reader,
// while it goes on; or of a backup. What cannot come along stands in the header, before anything of it is read.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Sql, SqlRow, SqlValue } from '../ports/sql.ts';
import {
  ARCHIVE_END,
  ARCHIVE_START,
  ARCHIVE_VERSION,
  type ArchivedTwin,
  type ArchivedWorld,
  type ArchiveHeader,
  closePart,
  headerText,
  type Left,
} from '../world/archive/archive.ts';
import {
  type ArchiveSource,
  describeStore,
  firstPlace,
  type GivingPlace,
  givePart,
  isDeploying,
} from '../world/archive/giving.ts';
import type { TwinConfig, WorldConfig } from '../world/config/config.ts';
import { ARCHIVE_PART_CHARS_MAX } from '../world/limits.ts';
import { BranchList } from '../world/past/branch-list.ts';
import { SCHEMA_VERSION, StoreError, schemaVersion } from '../world/store/schema.ts';
import { type BackupNote, noteOf } from './backup-files.ts';
import { branchFiles } from './branch-files.ts';
import { openBrowserFiles } from './browser-files.ts';
import { ControlError } from './control-error.ts';
import { digest } from './digest.ts';
import { readIfThere } from './files.ts';
import type { WorldPaths } from './paths.ts';
import { readSqlite } from './sqlite.ts';
import type { WorldFiles } from './store-guard.ts';
import { wallClock } from './wall-clock.ts';

export type GivenWorld = Disposable & {
  readonly header: ArchiveHeader;
  /** The header first. */
  parts(): AsyncGenerator<string>;
};

type Given = { readonly name: string; readonly source: ArchiveSource; readonly first: GivingPlace };

type Options = { readonly branches?: boolean };

/** Throws `ControlError` and `StoreError`. */
export async function giveWorld(
  paths: WorldPaths,
  config: Pick<WorldConfig, 'name' | 'twins' | 'network' | 'extraHosts' | 'app' | 'parent' | 'services'>,
  { branches = true }: Options = {},
): Promise<GivenWorld> {
  using opened = new DisposableStack();
  if (!existsSync(paths.database))
    throw new ControlError(
      'store-unusable',
      `${config.name} has no store yet; start it once, or make a new world there`,
    );
  const { name } = config;
  const line = { name, branches: paths.branches };
  const handlers = await handlersOf(paths, config);
  const given: Given[] = [];
  const worlds: ArchivedWorld[] = [];
  const add = (
    files: Pick<WorldFiles, 'database' | 'blobs' | 'browsers'>,
    of: Pick<ArchivedWorld, 'name' | 'parent' | 'expires'>,
  ): void => {
    const sql = opened.use(readerOf(files.database));
    if (isDeploying(sql))
      throw new ControlError(
        'busy-deploying',
        `a deploy of ${of.name} is under way; move it when that is over`,
      );
    const left = branches
      ? new BranchList(asUnchanging(sql))
          .all()
          .filter(row => existsSync(branchFiles(line, row.world).database))
      : [];
    const source: ArchiveSource = {
      sql,
      bytes: async (sha256, at, length) => bytesIn(files.blobs, sha256, at, length),
      browsers: openBrowserFiles(files.browsers),
      handlers: async () => handlers.texts,
      branches: left.map(({ world }) => world),
    };
    given.push({ name: of.name, source, first: firstPlace(sql) });
    worlds.push(describeStore(source, of));
    for (const { world, expires } of left)
      add(branchFiles(line, world), { name: world, parent: of.name, expires });
  };
  add(paths, { name, parent: null, expires: null });
  const header = headerOf(
    worlds,
    twinsOf(config.twins),
    [...leftOf(config), ...handlers.left],
    given[0]!.source.sql,
  );
  return whole(header, given, opened.move());
}

/** A file of `wrld world backup`. Twins are those that its log tells of. */
export function giveBackup(file: string): GivenWorld {
  using opened = new DisposableStack();
  const note: BackupNote = noteOf(file);
  const sql = opened.use(readerOf(file));
  const none = { names: async () => [], read: async () => null, notes: async () => null };
  const source: ArchiveSource = {
    sql,
    bytes: async (sha256, at, length) => packedBytes(sql, sha256)?.subarray(at, at + length),
    browsers: none,
    handlers: async () => new Map(),
    branches: [],
  };
  const world = describeStore(source, { name: note.world, parent: null, expires: null });
  const vendors = sql.all<{ twin: string }>(
    'SELECT DISTINCT twin FROM head UNION SELECT DISTINCT twin FROM entry',
  );
  const twins = vendors.map(({ twin }) => ({ vendor: twin, twin }));
  const left: Left[] = [
    {
      world: note.world,
      what: 'file',
      name: 'browsers, handlers, branches',
      why: 'a backup has none of them',
    },
  ];
  const header = { ...headerOf([world], twins, left, sql), at: note.at };
  return whole(header, [{ name: note.world, source, first: firstPlace(sql) }], opened.move());
}

function headerOf(
  worlds: readonly ArchivedWorld[],
  twins: readonly ArchivedTwin[],
  left: readonly Left[],
  sql: Pick<Sql, 'get'>,
): ArchiveHeader {
  const at = new Date(wallClock.now()).toISOString();
  return { version: ARCHIVE_VERSION, schema: schemaVersion(sql), at, twins, worlds, left };
}

function whole(header: ArchiveHeader, given: readonly Given[], opened: DisposableStack): GivenWorld {
  return {
    header,
    parts: () => partsOf(header, given),
    [Symbol.dispose]: () => opened.dispose(),
  };
}

async function* partsOf(header: ArchiveHeader, given: readonly Given[]): AsyncGenerator<string> {
  let part = closePart(headerText(header), ARCHIVE_START, digest);
  yield part.text;
  for (const { name, source, first } of given)
    for (let place: GivingPlace | null = first; place !== null; ) {
      const { body, next } = await givePart(source, name, place);
      part = closePart(body, part.after, digest);
      yield part.text;
      place = next;
    }
  yield closePart(`${ARCHIVE_END}\n`, part.after, digest).text;
}

/** One moment of a store that may go on being written to. */
function readerOf(file: string): Pick<Sql, 'all' | 'get'> & Disposable {
  // Says of a file that is none of ours what it is.
  const schema = readSqlite(file, sql => schemaVersion(sql));
  if (schema > SCHEMA_VERSION)
    throw new StoreError(
      'newer-schema',
      `${file} is of a newer release of wrld; use that, or bring this one up to date.`,
    );
  if (schema < SCHEMA_WITH_SEALS)
    throw new ControlError(
      'store-unusable',
      `${file} is of a very old release; start the world once, which brings it up to date`,
    );
  const database = new DatabaseSync(file, { readOnly: true, timeout: READER_WAIT_MS });
  database.exec('BEGIN');
  const all = <T extends SqlRow>(text: string, ...values: readonly SqlValue[]): T[] =>
    database.prepare(text).all(...values) as unknown as T[];
  // The moment is that of its first look.
  all('SELECT count(*) FROM sqlite_master');
  return {
    all,
    get: <T extends SqlRow>(text: string, ...values: readonly SqlValue[]) => all<T>(text, ...values)[0],
    [Symbol.dispose]: () => database.close(),
  };
}

const READER_WAIT_MS = 5_000;
/** From here on a store has every table that is asked for here by name. */
const SCHEMA_WITH_SEALS = 3;

function asUnchanging(sql: Pick<Sql, 'all' | 'get'>): ConstructorParameters<typeof BranchList>[0] {
  const never = (): never => {
    throw new Error('A reader changes nothing.');
  };
  return { ...sql, run: never, transaction: never };
}

/** Read past the world, which may be writing others beside it. */
function bytesIn(blobs: string, sha256: string, at: number, length: number): Uint8Array | undefined {
  const file = join(blobs, sha256.slice(0, 2), sha256);
  if (!existsSync(file)) return undefined;
  const descriptor = openSync(file, 'r');
  try {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, at));
  } finally {
    closeSync(descriptor);
  }
}

function packedBytes(sql: Pick<Sql, 'get'>, sha256: string): Uint8Array | undefined {
  const sha = Buffer.from(sha256, 'hex');
  return sql.get<{ bytes: Uint8Array }>('SELECT bytes FROM backup_blob WHERE sha = ?', sha)?.bytes;
}

function twinsOf(twins: readonly TwinConfig[]): readonly ArchivedTwin[] {
  return twins.map(({ vendor, twin }) => ({ vendor, twin }));
}

/** Handlers come along as text, for hosts that keep them so; functions beside them are files of this machine. */
async function handlersOf(
  { folder }: WorldPaths,
  { name, twins }: Pick<WorldConfig, 'name' | 'twins'>,
): Promise<{ readonly texts: ReadonlyMap<string, string>; readonly left: readonly Left[] }> {
  const texts = new Map<string, string>();
  const left: Left[] = [];
  for (const { vendor, scenarioPath } of twins) {
    if (scenarioPath === null) continue;
    const file = resolve(folder, scenarioPath);
    const text = await readIfThere(file);
    const stem = file.replace(/\.[a-z]+$/i, '');
    const functions = ['.ts', '.js'].map(ending => `${stem}${ending}`).find(path => existsSync(path));
    if (functions !== undefined)
      left.push({
        world: name,
        what: 'file',
        name: functions,
        why: 'functions beside handlers are files of this machine',
      });
    if (text !== null && text.length > ARCHIVE_PART_CHARS_MAX)
      left.push({
        world: name,
        what: 'file',
        name: file,
        why: 'it is too large; put it there by PUT /twin/scenario',
      });
    else if (text !== null) texts.set(vendor, text);
  }
  return { texts, left };
}

function leftOf({
  name,
  network,
  extraHosts,
  app,
  parent,
  services,
  twins,
}: Parameters<typeof giveWorld>[1]): readonly Left[] {
  const setting = (path: string, why: string): Left => ({ world: name, what: 'setting', name: path, why });
  const here = 'it is of this machine; a host’s worlds have none';
  return [
    {
      world: name,
      what: 'access',
      name: 'tokens, keys, sessions',
      why: 'they open one place alone; new tokens are made there',
    },
    ...(network.egress.length + network.writes.length > 0 ? [setting('runtime.network', here)] : []),
    ...(Object.keys(extraHosts).length > 0 ? [setting('runtime.extraHosts', here)] : []),
    ...(app === null ? [] : [setting('runtime.app', here)]),
    ...(parent === null ? [] : [setting('parent', here)]),
    ...(services.length > 0 ? [setting('services', 'those that are an address are of this machine')] : []),
    ...twins.flatMap(({ vendor, root }) =>
      root === undefined ? [] : [setting(`services.${vendor}.root`, 'set it there: wrld world root set')],
    ),
  ];
}
