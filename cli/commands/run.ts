// `wrld world run`: a command in the world. Its exit code, its output and its terminal are the command's own.
import type { WorldPaths } from '../../control/node/paths.ts';
import type { WorldConfig } from '../../control/world/config/config.ts';
import type { Declaration } from '../../policy/run.ts';
import { type ChildEnd, holdSignals, runChild } from '../child.ts';
import type { Command, Surround } from '../command.ts';
import { type Kept, keep, runContained } from '../contained-command.ts';
import { openRun, readDeclarationFile } from '../declared-run.ts';
import { findBranch } from '../reached-world.ts';
import { listenForStreams } from '../stream-listener.ts';
import { readUp, type UpWorld, waitForUp } from '../up-world.ts';
import { type Reach, worldEnvironment } from '../world-environment.ts';
import { findFolder, findWorld } from '../world-folder.ts';

export const worldRun: Command = {
  words: ['world', 'run'],
  summary: 'run a command in the world',
  usage:
    '[--sandbox] [--declaration <file>] [--branch <name>] [--contained | --open] -- <command> [<argument>…]',
  flags: {
    sandbox: { type: 'switch', does: 'reach the twins alone: nothing leaves, whatever the config grants' },
    declaration: {
      type: 'value',
      value: 'file',
      does: 'what the app says it needs, as JSON: { egress, services, ownLoopback, host }; the rest is refused',
    },
    branch: { type: 'value', value: '<name>', does: 'the twins of this branch of the world that is up' },
    contained: {
      type: 'switch',
      does: 'fail where the command cannot be contained, instead of going on with variables alone',
    },
    open: { type: 'switch', does: 'do not contain it: variables and hooks alone, the network as it is' },
  },
  operandsMax: 0,
  takesCommand: true,
  examples: [
    ['wrld world run -- node app.mjs', 'a Node program, with whatever SDK it uses'],
    ['wrld world run -- curl https://api.stripe.com/v1/customers -u sk_test_x:', 'answered by the twin'],
    ['wrld world run --sandbox -- pytest', 'a test suite that reaches nothing real'],
    ['wrld world run --declaration app.json -- node app.mjs', 'refused what app.json does not list'],
    ['wrld world run --contained -- npm test', 'fails where it cannot be sure of every client'],
    ['wrld world run -- bash', 'a shell, for everything that is started from it'],
  ],
  notes: [
    'On Linux the command is contained: every connection it opens arrives at the world, whatever client opens it (docs/contained-runs.md). Where that cannot be, a line says so, and the variables below are all there is.',
    'Sets the proxy and the trusted certificates for every common client (curl, Python, Node, Go, Ruby, PHP, Java, git, aws, pip, cargo, deno). Uses the world that is up, else starts one for as long as the command runs.',
    'A declared run names itself to the proxy by the user and password in its proxy URL, which the JVM cannot be told.',
    "The exit code is the command's own: 128 and the signal's number when a signal ended it, 127 when there is no such command.",
  ],
  run: async (given, around) => {
    const { output } = around;
    const command = given.rest ?? [];
    if (command.length === 0) {
      output.error('wrld world run: no command; put it after --: wrld world run -- node app.mjs');
      return 2;
    }
    const found = await findFolder(around.folder);
    if (!found.ok) {
      output.error(found.why);
      return 2;
    }
    const { paths } = found;
    const declared = await readDeclarationFile(given.values.get('declaration'), around.folder);
    if (!declared.ok) {
      output.error(`wrld world run: ${declared.why}`);
      return 2;
    }
    const asked = { command, declaration: declared.declaration, sandbox: given.switches.has('sandbox') };
    const branch = given.values.get('branch');
    if (given.switches.has('open') && given.switches.has('contained')) {
      output.error('wrld world run: --contained and --open say the opposite; give one of them');
      return 2;
    }
    const insists = given.switches.has('contained');
    const keeping = given.switches.has('open') ? 'open' : insists ? 'contained' : 'contained-if-possible';
    // The namespaces are made while the world starts.
    const kept = keep(keeping, around);
    try {
      if (insists && !(await kept).ok) return 1;
      const [up, config] = await Promise.all([readUp(paths), findWorld(around.folder)]);
      if (!config.ok) output.error(config.why);
      if (up === null && branch !== undefined) {
        output.error('wrld world run: --branch is for a world that is up. Start it: wrld world up');
        return 1;
      }
      const run = { ...asked, kept, config: config.ok ? config.config : null };
      if (up === null) return config.ok ? await inOwnWorld(paths, run, around) : 2;
      return await inUpWorld(paths, up, { ...run, branch, lastGood: !config.ok }, around);
    } finally {
      const used = await kept;
      if (used.ok) await used.containment?.[Symbol.asyncDispose]();
    }
  },
};

type Asked = {
  readonly command: readonly string[];
  readonly declaration: Declaration | null;
  readonly sandbox: boolean;
  readonly kept: Promise<Kept>;
  /** The exit code that a signal asked for while the world started, which held it. */
  readonly stopped?: () => number | null;
  /** Null where the config as it stands cannot be used. */
  readonly config: WorldConfig | null;
};

type AskedOfUp = Asked & {
  readonly branch: string | undefined;
  /** The config as it stands cannot be used. */
  readonly lastGood: boolean;
};

/** In the world that another command started. */
async function inUpWorld(
  paths: WorldPaths,
  up: UpWorld,
  { branch, lastGood, ...asked }: AskedOfUp,
  around: Surround,
): Promise<number> {
  const { output } = around;
  const no = (why: string): number => {
    output.error(`wrld world run: ${why}`);
    return 1;
  };
  if (up.forRun) {
    return no(
      `this world is up for another wrld world run (process ${up.pid}) and ends with it. Start wrld world up to share one world.`,
    );
  }
  if (up.proxyUrl === null) {
    return no(
      `this world is served without a proxy (process ${up.pid}). Stop that, or attach by its URL: wrld world serve --help`,
    );
  }
  if (asked.sandbox && !up.sandbox) {
    return no('the world that is up is no sandbox. Stop it, or start it with wrld world up --sandbox.');
  }
  if (lastGood) output.error('wrld: the world that is up keeps its last good config');
  const reach: ReachOfRun = { ...up, proxyUrl: up.proxyUrl };
  if (branch === undefined) return await inWorld(paths, reach, asked, around);
  const there = await findBranch(paths, up, branch);
  if (!there.ok) {
    output.error(`wrld world run: ${there.why}`);
    return there.exit;
  }
  // The run that it opens there is what tells the proxy whose twins answer; an empty declaration is an open one.
  const { name, token } = there;
  const declared = { ...asked, declaration: asked.declaration ?? {} };
  return await inWorld(paths, { ...reach, worldUrl: `${up.baseUrl}/${name}`, token }, declared, around);
}

async function inOwnWorld(paths: WorldPaths, asked: Asked, around: Surround): Promise<number> {
  const { output } = around;
  using held = holdSignals();
  const { startWorld } = await import('../start-world.ts');
  const started = await startWorld({
    paths,
    sandbox: asked.sandbox,
    forRun: true,
    tell: line => output.error(`wrld: ${line}`),
  });
  if (!started.ok) {
    // Another command is starting it, and says where it is when it is up.
    const up = started.code === 'already-running' ? await waitForUp(paths, () => held.code() !== null) : null;
    const stopped = held.code();
    if (stopped !== null) return stopped;
    const own = { ...asked, branch: undefined, lastGood: false };
    if (up !== null) return await inUpWorld(paths, up, own, around);
    output.error(`wrld world run: ${started.why}`);
    return started.exit;
  }
  await using control = started.control;
  const stopped = held.code();
  if (stopped !== null) return stopped;
  return await inWorld(paths, control, { ...asked, stopped: held.code }, around);
}

type ReachOfRun = Reach & { readonly runsSocket: string | null };

async function inWorld(
  paths: WorldPaths,
  reach: ReachOfRun,
  asked: Asked,
  { output, env }: Surround,
): Promise<number> {
  const { command, declaration, config } = asked;
  const run = declaration === null ? null : await openRun(reach, declaration);
  if (run !== null && !run.ok) {
    output.error(`wrld world run: ${run.why}`);
    return 1;
  }
  await using _run = run;
  const attached = await worldEnvironment(
    paths,
    { ...reach, proxyUrl: run?.proxyUrl ?? reach.proxyUrl },
    env,
  );
  if (!attached.ok) {
    output.error(`wrld world run: ${attached.why}`);
    return 1;
  }
  if (attached.droppedNoProxy.length > 0) {
    output.error(
      `wrld: NO_PROXY without ${attached.droppedNoProxy.join(', ')}, which would send requests past this world's twins`,
    );
  }
  const tell = (line: string): void => output.error(`wrld world run: ${line}`);
  // A branch listens nowhere by itself.
  await using streams = await listenForStreams(attached.streams, { ...reach, tell });
  const kept = await asked.kept;
  const all = { ...env, ...attached.set, ...streams.set };
  const proxyUrl = run?.proxyUrl ?? reach.proxyUrl;
  const { runsSocket } = reach;
  const stopped = asked.stopped?.() ?? null;
  if (stopped !== null) return stopped;
  let ended: ChildEnd;
  if (!kept.ok || kept.containment === null || runsSocket === null) ended = await runChild(command, all);
  else {
    const { baseUrl, token, caFile } = reach;
    const { trust, streamPorts } = attached;
    const ports = [...streamPorts, ...streams.ports];
    ended = await runContained(kept, {
      ...{ command, env: all, baseUrl, proxyUrl, runsSocket, token, config, trust, caFile },
      streamPorts: ports,
    });
  }
  if (ended.problem !== null) output.error(`wrld world run: ${ended.problem}`);
  return ended.code;
}
