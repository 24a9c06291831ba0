// A Postgres of the suite's own: in a temporary folder, on a socket there, ended with the suite. It refuses to run as root, so
// there it runs as whom this system has for it.
import { type ExecFileOptions, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { within } from '../kit/deadline.ts';

export type Postgres = AsyncDisposable & {
  readonly url: string;
  /** Every row of a table, as JSON has it. */
  rows(table: string): Promise<readonly Row[]>;
};

export type Row = { readonly [column: string]: unknown };

type Found = { readonly bin: string; readonly as: { readonly uid: number; readonly gid: number } | null };

/** What it printed. Throws with what it said where it ends badly. */
const run = async (
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> => String((await promisify(execFile)(program, args, options)).stdout);

/** Why there can be none here, or where it is. */
export async function findPostgres(): Promise<Found | string> {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...globSync('/usr/lib/postgresql/*/bin').sort().reverse(),
  ];
  const bin = folders.find(each =>
    ['initdb', 'postgres', 'psql'].every(name => existsSync(join(each, name))),
  );
  if (bin === undefined) return 'no Postgres here';
  if (process.getuid?.() !== 0) return { bin, as: null };
  for (const user of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all(['-u', '-g'].map(of => run('id', [of, user]).catch(() => '')));
    if (uid !== '' && gid !== '') return { bin, as: { uid: Number(uid), gid: Number(gid) } };
  }
  return 'Postgres does not run as root, and nobody else is here';
}

/** The engine's migrations give this one what they make. */
const USER = 'postgres';

export async function startPostgres({ bin, as }: Found): Promise<Postgres> {
  // Short: the path of a socket has little room.
  const folder = await mkdtemp(join(tmpdir(), 'wrld-pg-'));
  if (as !== null) await chown(folder, as.uid, as.gid);
  const options = { cwd: folder, ...(as ?? {}) };
  const data = join(folder, 'data');
  const first = ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await run(join(bin, 'initdb'), first, options);
  const words = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-F'];
  const server = spawn(join(bin, 'postgres'), words, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const ready = Promise.withResolvers<void>();
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.includes('ready to accept connections')) ready.resolve();
  });
  server.once('exit', code => ready.reject(new Error(`postgres ended with ${code}: ${said}`)));
  await within('Postgres to be ready', ready.promise);
  const query = (sql: string): Promise<string> =>
    run(join(bin, 'psql'), ['-h', folder, '-U', USER, '-d', 'postgres', '-Atc', sql]);
  return {
    url: `postgresql://${USER}@localhost/postgres?host=${encodeURIComponent(folder)}`,
    rows: async table =>
      JSON.parse(await query(`select coalesce(json_agg(each), '[]') from stripe."${table}" each`)),
    [Symbol.asyncDispose]: async () => {
      const gone = once(server, 'exit');
      // Without waiting for who is connected.
      server.kill('SIGINT');
      await within('Postgres to end', gone);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
