// `wrld world run`: a command in the world. Its exit code, its output and its terminal are the command's own.
import type { WorldPaths } from '../../control/node/paths.ts';
import { DEFAULT_RUN, type Declaration } from '../../policy/run.ts';
import { browserKind, launchOf } from '../browser.ts';
import { holdSignals, runChild } from '../child.ts';
import type { Command, Surround } from '../command.ts';
import { openRun, readDeclarationFile } from '../declared-run.ts';
import { findBranch } from '../reached-world.ts';
import { followRefusals } from '../run-refusals.ts';
import { listenForStreams } from '../stream-listener.ts';
import { readUp, type UpWorld, waitForUp } from '../up-world.ts';
import { type Reach, worldEnvironment } from '../world-environment.ts';
import { findFolder, findWorld } from '../world-folder.ts';

/** `--fail-on-refusal`. */
const EXIT_REFUSED = 3;

export const worldRun: Command = {
  words: ['world', 'run'],
  summary: 'run a command in the world',
  usage:
    '[--sandbox] [--declaration <file>] [--branch <name>] [--quiet] [--fail-on-refusal] -- <command> [<argument>…]',
  flags: {
    sandbox: { type: 'switch', does: 'reach the twins alone: nothing leaves, whatever the config grants' },
    declaration: {
      type: 'value',
      value: 'file',
      does: 'what the app says it needs, as JSON: { egress, services, ownLoopback, host }; the rest is refused',
    },
    branch: { type: 'value', value: '<name>', does: 'the twins of this branch of the world that is up' },
    quiet: { type: 'switch', does: 'say nothing of what is refused' },
    'fail-on-refusal': {
      type: 'switch',
      does: 'exit with 3 where the command is content but something was refused',
    },
  },
  operandsMax: 0,
  takesCommand: true,
  examples: [
    ['wrld world run -- node app.mjs', 'a Node program, with whatever SDK it uses'],
    ['wrld world run -- curl https://api.stripe.com/v1/customers -u sk_test_x:', 'answered by the twin'],
    ['wrld world run --sandbox -- pytest', 'a test suite that reaches nothing real'],
    ['wrld world run --declaration app.json -- node app.mjs', 'refused what app.json does not list'],
    ['wrld world run -- bash', 'a shell, for everything that is started from it'],
    ['wrld world run -- chromium https://dashboard.stripe.com', 'a browser, with a profile of its own'],
  ],
  notes: [
    'Sets the proxy and the trusted certificates for every common client (curl, Python, Node, Go, Ruby, PHP, Java, git, aws, pip, cargo, deno). Uses the world that is up, else starts one for as long as the command runs.',
    'A declared run names itself to the proxy by the user and password in its proxy URL, which the JVM cannot be told.',
    'Each thing that the world refuses the command is told once, on standard error, with its rule and its fix; in the end, how many there were.',
    "The exit code is the command's own: 128 and the signal's number when a signal ended it, 127 when there is no such command.",
  ],
  run: async (given, around) => {
    const { output } = around;
    const command = given.rest ?? [];
    if (command.length === 0) {
      output.error('wrld world run: no command; put it after --: wrld world run -- node app.mjs');
      return 2;
    }
    const declared = await readDeclarationFile(given.values.get('declaration'), around.folder);
    if (!declared.ok) {
      output.error(`wrld world run: ${declared.why}`);
      return 2;
    }
    const asked: Asked = {
      command,
      declaration: declared.declaration ?? {},
      sandbox: given.switches.has('sandbox'),
      quiet: given.switches.has('quiet'),
      failOnRefusal: given.switches.has('fail-on-refusal'),
    };
    return await runInWorld(asked, given.values.get('branch'), around);
  },
};

/** In the world that is up, else in one that is up for as long as the command runs. Resolves to the exit code. */
export async function runInWorld(
  asked: Asked,
  branch: string | undefined,
  around: Surround,
): Promise<number> {
  const { output } = around;
  const found = await findFolder(around.folder);
  if (!found.ok) {
    output.error(found.why);
    return 2;
  }
  const { paths } = found;
  const [up, config] = await Promise.all([readUp(paths), findWorld(around.folder)]);
  if (!config.ok) output.error(config.why);
  if (up === null && branch !== undefined) {
    output.error('wrld world run: --branch is for a world that is up. Start it: wrld world up');
    return 1;
  }
  if (up === null) return config.ok ? await inOwnWorld(paths, asked, around) : 2;
  return await inUpWorld(paths, up, { ...asked, branch, lastGood: !config.ok }, around);
}

export type Asked = {
  readonly command: readonly string[];
  /** An empty one is open. */
  readonly declaration: Declaration;
  readonly sandbox: boolean;
  readonly quiet: boolean;
  readonly failOnRefusal: boolean;
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
  const reach: Reach = { ...up, proxyUrl: up.proxyUrl };
  if (branch === undefined) return await inWorld(paths, reach, asked, around);
  const there = await findBranch(paths, up, branch);
  if (!there.ok) {
    output.error(`wrld world run: ${there.why}`);
    return there.exit;
  }
  // The run that it opens there is what tells the proxy whose twins answer.
  const { name, token } = there;
  return await inWorld(paths, { ...reach, worldUrl: `${up.baseUrl}/${name}`, token }, asked, around);
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
  return await inWorld(paths, control, asked, around);
}

async function inWorld(
  paths: WorldPaths,
  reach: Reach,
  { command, declaration, quiet, failOnRefusal }: Asked,
  { output, env }: Surround,
): Promise<number> {
  await using run = await openRun(reach, declaration);
  if (!run.ok) {
    output.error(`wrld world run: ${run.why}`);
    return 1;
  }
  const attached = await worldEnvironment(paths, { ...reach, proxyUrl: run.proxyUrl }, env);
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
  // A JVM takes no credentials from its options: its requests are of the default run.
  const refusals = await followRefusals(reach, { output, runs: [run.name, DEFAULT_RUN.name], quiet });
  const kind = browserKind(command[0]!);
  const { hostname, port } = new URL(reach.proxyUrl);
  // A browser takes no credentials from its switches.
  const proxy = { host: hostname, port: Number(port) };
  await using launch = kind === null ? null : await launchOf(kind, command, { ...reach, proxy });
  if (launch !== null && !launch.ok) tell(launch.why);
  const words = launch?.ok ? launch.command : command;
  const ended = await runChild(words, { ...env, ...attached.set, ...streams.set });
  if (ended.problem !== null) output.error(`wrld world run: ${ended.problem}`);
  // Its end is in force when the proxy has said so, and what it refused before it said before.
  await run[Symbol.asyncDispose]();
  const refused = await refusals.end();
  return failOnRefusal && refused > 0 && ended.code === 0 ? EXIT_REFUSED : ended.code;
}
