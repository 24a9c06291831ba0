// JavaScript programs attached to a world: the real proxy in the test's process, a stand-in for its twins, and each
// program a process of its own that loads attach/register.cjs as a run would have it loaded.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { SnapshotDocument } from '../../policy/snapshot.ts';
import { startProxy, type TestProxy } from './proxy.ts';
import { startControl } from './stand-in-control.ts';
import { createTestAuthority, type TestAuthority } from './test-ca.ts';

const ATTACH = join(import.meta.dirname, '..', '..', 'attach');
export const REGISTER = join(ATTACH, 'register.cjs');
export const REGISTER_MODULE = join(ATTACH, 'register.mjs');
const PROGRAM_MS_MAX = 60_000;

export type Node = { readonly path: string; readonly version: string; readonly major: number };

/** The Node of this process, the system's where it is another, and those that WRLD_NODES names (paths, as PATH). */
export function nodes(): readonly Node[] {
  const inPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(folder => !folder.includes('node_modules'))
    .map(folder => join(folder, 'node'));
  const named = (process.env['WRLD_NODES'] ?? '').split(delimiter).filter(Boolean);
  const found = new Map([[process.version, process.execPath]]);
  for (const path of [...named, ...inPath]) {
    try {
      const version = execFileSync(path, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).trim();
      if (!found.has(version)) found.set(version, path);
    } catch {
      // No node there.
    }
  }
  return [...found].map(([version, path]) => ({
    version,
    path,
    major: Number(/^v(\d+)/.exec(version)?.[1]),
  }));
}

export type Ran = {
  /** What the program told with `say`, as JSON. */
  readonly said: unknown;
  readonly stderr: string;
};

export type RunOptions = {
  readonly node?: string;
  readonly env?: { readonly [name: string]: string | undefined };
  /** Options of node before the program; the module is loaded by NODE_OPTIONS whatever they are. */
  readonly options?: readonly string[];
};

export type AttachedWorld = AsyncDisposable & {
  readonly proxy: TestProxy;
  readonly authority: TestAuthority;
  readonly folder: string;
  /** Where the proxy takes contained runs. */
  readonly runsSocket: string;
  /** What a run sets, as far as it matters to JavaScript. */
  readonly env: { readonly [name: string]: string };
  /** The text of an ES module that has `say(value)`, which ends it. */
  run(program: string, options?: RunOptions): Promise<Ran>;
};

/** What a program says it with; where its standard output is not to be had, into the file that SAY_INTO names. */
export const SAY: string = `import { writeFileSync } from 'node:fs';
const say = value => {
  const text = JSON.stringify(value === undefined ? null : value) + '\\n';
  if (!process.env.SAY_INTO) return process.stdout.write(text, () => process.exit());
  writeFileSync(process.env.SAY_INTO, text);
  process.exit();
};
`;

export async function attachedWorld(
  world: Partial<SnapshotDocument> = {},
  made?: TestAuthority,
): Promise<AttachedWorld> {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'wrld attached '));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const control = opened.use(await startControl());
  const runsSocket = join(folder, 'runs.sock');
  const authority = made ?? (await createTestAuthority());
  const proxy = opened.use(
    await startProxy({ controlSocket: control.path, upstreamCa: authority.pem, world, runsSocket }),
  );
  // Where the clients' packages are found.
  symlinkSync(join(ATTACH, '..', 'node_modules'), join(folder, 'node_modules'));
  let programs = 0;
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, proxy.ca);
  const url = `http://127.0.0.1:${proxy.port}`;
  const env = {
    NODE_OPTIONS: `--require ${REGISTER}`,
    NODE_EXTRA_CA_CERTS: caFile,
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: url,
    HTTP_PROXY: url,
    NO_PROXY: 'localhost,127.0.0.1,::1',
  };
  const kept = opened.move();
  return {
    proxy,
    authority,
    folder,
    runsSocket,
    env,
    async run(program, { node = process.execPath, env: more = {}, options = [] } = {}) {
      const file = join(folder, `program-${programs++}.mjs`);
      writeFileSync(file, SAY + program);
      const { stdout, stderr } = await promisify(execFile)(node, [...options, file], {
        timeout: PROGRAM_MS_MAX,
        env: { PATH: process.env['PATH'], ...env, ...more },
      });
      return { said: stdout === '' ? undefined : JSON.parse(stdout), stderr };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
