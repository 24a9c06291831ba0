// `wrld world run`: a command in the world. Its exit code, its output and its terminal are the command's own.
import type { WorldPaths } from '../../control/node/paths.ts';
import type { Declaration } from '../../policy/run.ts';
import { holdSignals, runChild } from '../child.ts';
import type { Command, Surround } from '../command.ts';
import { openRun, readDeclarationFile } from '../declared-run.ts';
import { freshHome } from '../fresh-home.ts';
import { findBranch } from '../reached-world.ts';
import { joinRun, shareRun } from '../shared-run.ts';
import { listenForStreams } from '../stream-listener.ts';
import { readUp, type UpWorld, waitForDown, waitForUp } from '../up-world.ts';
import { type Reach, worldEnvironment } from '../world-environment.ts';
import { findFolder, findWorld } from '../world-folder.ts';

export const worldRun: Command = {
  words: ['world', 'run'],
  summary: 'run a command in the world',
  usage: '[--sandbox] [--declaration <file>] [--branch <name> | --fresh] -- <command> [<argument>…]',
  flags: {
    sandbox: { type: 'switch', does: 'reach the twins alone: nothing leaves, whatever the config grants' },
    declaration: {
      type: 'value',
      value: 'file',
      does: 'what the app says it needs, as JSON: { egress, services, ownLoopback, host }; the rest is refused',
    },
    fresh: { type: 'switch', does: 'a world of its own, empty, and gone when the command ends' },
    branch: { type: 'value', value: '<name>', does: 'the twins of this branch of the world that is up' },
  },
  operandsMax: 0,
  takesCommand: true,
  examples: [
    ['wrld world run -- node app.mjs', 'a Node program, with whatever SDK it uses'],
    ['wrld world run -- curl https://api.stripe.com/v1/customers -u sk_test_x:', 'answered by the twin'],
    ['wrld world run --sandbox -- pytest', 'a test suite that reaches nothing real'],
    ['wrld world run --declaration app.json -- node app.mjs', 'refused what app.json does not list'],
    ['wrld world run -- bash', 'a shell, for everything that is started from it'],
  ],
  notes: [
    'Sets the proxy and the trusted certificates for every common client (curl, Python, Node, Go, Ruby, PHP, Java, git, aws, pip, cargo, deno). Uses the world that is up, else starts one for as long as the command runs; several at once in a folder share it.',
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
    const [up, config] = await Promise.all([readUp(paths), findWorld(around.folder)]);
    if (!config.ok) output.error(config.why);
    if (given.switches.has('fresh')) {
      if (branch !== undefined) {
        output.error('wrld world run: a fresh world has no branches yet; give --fresh or --branch');
        return 2;
      }
      if (!config.ok) return 2;
      await using fresh = await freshHome(paths);
      return await inOwnWorld(fresh.paths, asked, around);
    }
    if (up === null && branch !== undefined) {
      output.error('wrld world run: --branch is for a world that is up. Start it: wrld world up');
      return 1;
    }
    if (up === null) return config.ok ? await inOwnWorld(paths, asked, around) : 2;
    return await inUpWorld(paths, up, { ...asked, branch, lastGood: !config.ok }, around);
  },
};

type Asked = {
  readonly command: readonly string[];
  readonly declaration: Declaration | null;
  readonly sandbox: boolean;
  /** The world that is up ends in a moment, and one that is new takes its place. */
  readonly waits?: boolean;
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
  await using shared = up.forRun ? await joinRun(paths) : null;
  // It is ending with its last command.
  if (up.forRun && shared === null) return await inOwnWorld(paths, { ...asked, waits: true }, around);
  if (up.proxyUrl === null) {
    return no(
      `this world is served without a proxy (process ${up.pid}). Stop that, or attach by its URL: wrld world serve --help`,
    );
  }
  if (asked.sandbox && !up.sandbox) {
    return no('the world that is up is no sandbox. Stop it, or start it with wrld world up --sandbox.');
  }
  if (lastGood) output.error('wrld: the world that is up keeps its last good config');
  const reach: Reach = { ...up, proxyUrl: up.proxyUrl };
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
  if (asked.waits === true) await waitForDown(paths, () => held.code() !== null);
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
  const others = await shareRun(paths);
  const code = await inWorld(paths, control, asked, around);
  await others.gone({
    tell: count =>
      output.error(
        `wrld: the command has ended; its world stays up for ${count} more that ${count === 1 ? 'uses' : 'use'} it (Ctrl-C ends it now)`,
      ),
    calledOff: () => held.code() !== null,
  });
  return code;
}

async function inWorld(
  paths: WorldPaths,
  reach: Reach,
  { command, declaration }: Asked,
  { output, env }: Surround,
): Promise<number> {
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
  const ended = await runChild(command, { ...env, ...attached.set, ...streams.set });
  if (ended.problem !== null) output.error(`wrld world run: ${ended.problem}`);
  return ended.code;
}
