// A command in a world: in the one that is up, else in one that is up for as long as the command runs. The command is
// contained where that is possible, is told apart by a run of its own, and what it is refused is told.

import type { Containment } from '../contained/containment.ts';
import type { WorldPaths } from '../control/node/paths.ts';
import type { WorldConfig } from '../control/world/config/config.ts';
import { DEFAULT_RUN, type Declaration } from '../policy/run.ts';
import { browserKind, launchOf } from './browser.ts';
import { holdSignals, runChild } from './child.ts';
import type { Surround } from './command.ts';
import { runContained } from './contained-command.ts';
import { openRun } from './declared-run.ts';
import { freshHome } from './fresh-home.ts';
import type { Keeping } from './keeping.ts';
import { EXIT_REFUSED } from './limits.ts';
import { notReached } from './not-reached.ts';
import { type BranchAsked, enterBranch } from './run-branch.ts';
import { followRefusals } from './run-refusals.ts';
import { type Review, reviewRun } from './run-review.ts';
import { joinRun, shareRun } from './shared-run.ts';
import { listenForStreams } from './stream-listener.ts';
import { readUp, type UpWorld, waitForDown, waitForUp } from './up-world.ts';
import { type Reach, worldEnvironment } from './world-environment.ts';
import { findFolder, findWorld } from './world-folder.ts';

export type Asked = {
  readonly command: readonly string[];
  /** An empty one is open. */
  readonly declaration: Declaration;
  readonly sandbox: boolean;
  /** Null: in the world itself. */
  readonly branch: BranchAsked | null;
  /** In a world of its own, empty, and gone with the command. */
  readonly fresh: boolean;
  /** Is done away with in the end. */
  readonly keeping: Keeping;
  /** Nothing is said of what is refused. */
  readonly quiet: boolean;
  readonly failOnRefusal: boolean;
  /** What is told when the command has ended; null: nothing. */
  readonly review: Review | null;
  /** Instead of the command: whatever is to run in the world. Resolves to the exit code. */
  readonly within?: (reach: ReachOfRun, place: PlaceOfRun) => Promise<number>;
};

/** Resolves to the exit code: the command's own, once it has begun. */
export async function runInWorld(asked: Asked, around: Surround): Promise<number> {
  const { output } = around;
  try {
    const found = await findFolder(around.folder);
    if (!found.ok) {
      output.error(found.why);
      return 2;
    }
    const { paths } = found;
    const [up, config] = await Promise.all([readUp(paths), findWorld(around.folder)]);
    if (!config.ok) output.error(config.why);
    const run: Run = { ...asked, paths, config: config.ok ? config.config : null };
    if (asked.fresh) {
      if (!config.ok) return 2;
      await using home = await freshHome(paths);
      return await inOwnWorld({ ...run, paths: home.paths }, around);
    }
    if (up !== null) return await inUpWorld(up, run, around);
    return config.ok ? await inOwnWorld(run, around) : 2;
  } finally {
    const used = await asked.keeping.kept;
    if (used.ok) await used.containment?.[Symbol.asyncDispose]();
  }
}

type Run = Asked & {
  readonly paths: WorldPaths;
  /** The exit code that a signal asked for while the world started, which held it. */
  readonly stopped?: () => number | null;
  /** The world that is up ends in a moment, and one that is new takes its place. */
  readonly waits?: boolean;
  /** `<world>` of the branch that it is in. */
  readonly inBranch?: string;
  /** Null where the config as it stands cannot be used. */
  readonly config: WorldConfig | null;
};

/** In the world that another command started. */
async function inUpWorld(up: UpWorld, run: Run, around: Surround): Promise<number> {
  const { output } = around;
  const { paths, sandbox, config } = run;
  const no = (why: string): number => {
    output.error(`wrld world run: ${why}`);
    return 1;
  };
  await using shared = up.forRun ? await joinRun(paths) : null;
  // It is ending with its last command.
  if (up.forRun && shared === null) return await inOwnWorld({ ...run, waits: true }, around);
  if (up.proxyUrl === null) {
    return no(
      `this world is served without a proxy (process ${up.pid}). Stop that, or attach by its URL: wrld world serve --help`,
    );
  }
  if (sandbox && !up.sandbox) {
    return no('the world that is up is no sandbox. Stop it, or start it with wrld world up --sandbox.');
  }
  if (config === null) output.error('wrld: the world that is up keeps its last good config');
  return await inBranch({ ...up, proxyUrl: up.proxyUrl }, run, around);
}

/** In the world as it was reached, or in a branch of it. */
async function inBranch(reach: ReachOfRun, run: Run, around: Surround): Promise<number> {
  if (run.branch === null) return await inWorld(reach, run, around);
  // Nor is a branch made for it.
  if (run.keeping.how === 'contained' && (await keptIn(run, around.output)) === 'not') return 1;
  const entered = await enterBranch(run.paths, reach, run.branch);
  if (!entered.ok) {
    around.output.error(`wrld world run: ${entered.why}`);
    return entered.exit;
  }
  return await inWorld(entered.reach, { ...run, inBranch: entered.branch }, around);
}

async function inOwnWorld(run: Run, around: Surround): Promise<number> {
  const { output } = around;
  const { paths, sandbox } = run;
  // No world is started for a command that cannot run in it.
  if (run.keeping.how === 'contained' && (await keptIn(run, output)) === 'not') return 1;
  using held = holdSignals();
  if (run.waits === true) await waitForDown(paths, () => held.code() !== null);
  const { startWorld } = await import('./start-world.ts');
  const tell = (line: string): void => output.error(`wrld: ${line}`);
  const started = await startWorld({ paths, sandbox, forRun: true, tell });
  if (!started.ok) {
    // Another command is starting it, and says where it is when it is up.
    const up = started.code === 'already-running' ? await waitForUp(paths, () => held.code() !== null) : null;
    const stopped = held.code();
    if (stopped !== null) return stopped;
    if (up !== null) return await inUpWorld(up, run, around);
    output.error(`wrld world run: ${started.why}`);
    return started.exit;
  }
  await using control = started.control;
  const stopped = held.code();
  if (stopped !== null) return stopped;
  const others = await shareRun(paths);
  const code = await inBranch(control, { ...run, stopped: held.code }, around);
  await others.gone({
    tell: count =>
      output.error(
        `wrld: the command has ended; its world stays up for ${count} more that ${count === 1 ? 'uses' : 'use'} it (Ctrl-C ends it now)`,
      ),
    calledOff: () => held.code() !== null,
  });
  return code;
}

export type ReachOfRun = Reach & { readonly runsSocket: string | null };

export type PlaceOfRun = {
  readonly paths: WorldPaths;
  readonly config: WorldConfig | null;
  /** The exit code that a signal asked for while the world started; null where none did. */
  readonly stopped: () => number | null;
};

async function inWorld(reach: ReachOfRun, asked: Run, { output, env }: Surround): Promise<number> {
  const { paths, command, declaration, config, quiet, failOnRefusal } = asked;
  if (asked.within !== undefined)
    return await asked.within(reach, { paths, config, stopped: asked.stopped ?? (() => null) });
  const tell = (line: string): void => output.error(`wrld world run: ${line}`);
  await using run = await openRun(reach, declaration);
  if (!run.ok) {
    tell(run.why);
    return 1;
  }
  const { name, proxyUrl } = run;
  const attached = await worldEnvironment(paths, { ...reach, proxyUrl }, env);
  if (!attached.ok) {
    tell(attached.why);
    return 1;
  }
  if (attached.droppedNoProxy.length > 0) {
    output.error(
      `wrld: NO_PROXY without ${attached.droppedNoProxy.join(', ')}, which would send requests past this world's twins`,
    );
  }
  for (const line of attached.trust.unread) tell(line);
  // A branch listens nowhere by itself.
  await using streams = await listenForStreams(attached.streams, { ...reach, tell });
  const kept = await keptIn(asked, output);
  if (kept === 'not') return 1;
  const { runsSocket, baseUrl, token } = reach;
  const contained = kept !== null && runsSocket !== null ? { containment: kept, runsSocket } : null;
  await using launched = await launchedIn(command, {
    ...reach,
    proxyUrl,
    contained: contained !== null,
    tell,
  });
  // A JVM takes no credentials from its options, nor a browser from its switches: their requests are of the default run,
  // but where every connection brings the run's.
  const runs = contained === null ? [name, DEFAULT_RUN.name] : [name];
  const refusals = await followRefusals(reach, { output, runs, quiet });
  const stopped = asked.stopped?.() ?? null;
  if (stopped !== null) return stopped;
  const whole = { ...env, ...attached.set, ...streams.set, ...launched.env };
  // Node's own support for a proxy is for a Node that is kept from the hooks. It costs each start as much as ten of them
  // would, and contained, every connection arrives at the world in any case.
  const ofContained = { ...whole, NODE_USE_ENV_PROXY: env['NODE_USE_ENV_PROXY'] };
  const ended =
    contained === null
      ? await runChild(launched.command, whole)
      : await runContained(contained.containment, {
          ...{ command: launched.command, env: ofContained, baseUrl, proxyUrl, token, config },
          runsSocket: contained.runsSocket,
          trust: attached.trust,
          caFile: reach.caFile,
          streamPorts: [...attached.streamPorts, ...streams.ports],
        });
  if (ended.problem !== null) tell(ended.problem);
  // Its end is in force when the proxy has said so, and what it refused before it said before.
  await run[Symbol.asyncDispose]();
  const refused = await refusals.end();
  const code = failOnRefusal && refused > 0 && ended.code === 0 ? EXIT_REFUSED : ended.code;
  const { review, inBranch: branch = null } = asked;
  const exit =
    review === null ? code : await reviewRun(reach, review, { run: name, branch, code, refused }, output);
  if (contained === null && asked.keeping.how !== 'open') output.error(`wrld: ${notReached(command[0]!)}`);
  return exit;
}

/** Null: by variables alone. Where it cannot be, that is told. */
async function keptIn({ keeping }: Run, output: Surround['output']): Promise<Containment | null | 'not'> {
  const kept = await keeping.kept;
  if (kept.containment !== null) return kept.containment;
  if (kept.told !== null) output.error(kept.told);
  return kept.ok ? null : 'not';
}

type Launched = {
  readonly command: readonly string[];
  readonly env?: { readonly [name: string]: string };
} & AsyncDisposable;

/** The command; a browser with a profile that belongs into the world. */
async function launchedIn(
  command: readonly string[],
  {
    caFile,
    proxyUrl,
    contained,
    tell,
  }: Pick<Reach, 'caFile' | 'proxyUrl'> & {
    readonly contained: boolean;
    readonly tell: (line: string) => void;
  },
): Promise<Launched> {
  const asItIs: Launched = { command, [Symbol.asyncDispose]: async () => {} };
  const kind = browserKind(command[0]!);
  if (kind === null) return asItIs;
  const { hostname, port } = new URL(proxyUrl);
  const proxy = contained ? null : { host: hostname, port: Number(port) };
  const launch = await launchOf(kind, command, { caFile, proxy });
  if (launch.ok) return launch;
  tell(launch.why);
  return asItIs;
}
