// `wrld world run`: a command in the world. Its exit code, its output and its terminal are the command's own.
import type { Command } from '../command.ts';
import { readDeclarationFile } from '../declaration-file.ts';
import { keep } from '../keeping.ts';
import type { BranchAsked } from '../run-branch.ts';
import { secondsOf } from '../seconds.ts';
import { openSink, type Sink } from '../sink.ts';

export const worldRun: Command = {
  words: ['world', 'run'],
  summary: 'run a command in the world',
  usage:
    '[--sandbox] [--declaration <file>] [--branch <name>|new [--ttl <time>] [--cut <message>] | --fresh] [--report <file>] [--json <file>] [--contained | --open] [--quiet] [--fail-on-refusal] -- <command> [<argument>…]',
  flags: {
    sandbox: { type: 'switch', does: 'reach the twins alone: nothing leaves, whatever the config grants' },
    declaration: {
      type: 'value',
      value: 'file',
      does: 'what the app says it needs, as JSON: { egress, services, ownLoopback, host }; the rest is refused',
    },
    fresh: { type: 'switch', does: 'a world of its own, empty, and gone when the command ends' },
    branch: {
      type: 'value',
      value: '<name>|new',
      does: 'the twins of this branch of the world; new: of one that is made for the command and stays',
    },
    ttl: {
      type: 'value',
      value: '<time>',
      does: 'remove the new branch by itself after that long: 90s, 1h, 30d, or seconds',
    },
    cut: {
      type: 'value',
      value: '<message>',
      does: 'when the command ends, cut what was done in the branch into a changeset, verify it, and tell what a deploy of it would ask of which vendor; nothing is deployed',
    },
    report: {
      type: 'value',
      value: '<file>',
      does: 'when the command ends, write what it did to which vendor there, as Markdown for a pull request',
    },
    json: {
      type: 'value',
      value: '<file>',
      does: 'when the command ends, write the run, its changeset and its report there as one JSON document; a number is an open descriptor: --json 3 3> run.json',
    },
    contained: {
      type: 'switch',
      does: 'fail where the command cannot be contained, instead of going on with variables alone',
    },
    open: { type: 'switch', does: 'do not contain it: variables and hooks alone, the network as it is' },
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
    ['wrld world run --contained -- npm test', 'fails where it cannot be sure of every client'],
    [
      'wrld world run --branch new --cut "Gold plan" --report report.md -- ./agent.sh',
      'an agent in a branch of its own; what it did becomes a changeset and a report',
    ],
    ['wrld world run -- bash', 'a shell, for everything that is started from it'],
    ['wrld world run -- chromium https://dashboard.stripe.com', 'a browser, with a profile of its own'],
  ],
  notes: [
    'On Linux the command is contained: every connection it opens arrives at the world, whatever client opens it (docs/contained-runs.md). Where that cannot be, a line says so, and the variables below are all there is.',
    'Sets the proxy and the trusted certificates for every common client (curl, Python, Node, Go, Ruby, PHP, Java, git, aws, pip, cargo, deno). Uses the world that is up, else starts one for as long as the command runs; several at once in a folder share it.',
    'A run names itself to the proxy by the user and password in its proxy URL, which the JVM cannot be told.',
    'A new branch leaves the world as of now, and its clock stands there until somebody advances it. Where no world is up, one is started for the command; the branch is in it when it is started again.',
    'Each thing that the world refuses the command is told once, on standard error, with its rule and its fix; in the end, how many there were.',
    "The exit code is the command's own: 128 and the signal's number when a signal ended it, 127 when there is no such command. Where the command was content and its cut, its report or its JSON failed, it is 1.",
  ],
  run: async (given, around) => {
    const { output } = around;
    const wrong = (why: string): number => {
      output.error(`wrld world run: ${why}`);
      return 2;
    };
    const command = given.rest ?? [];
    if (command.length === 0) return wrong('no command; put it after --: wrld world run -- node app.mjs');
    const { switches, values } = given;
    const [open, contained] = [switches.has('open'), switches.has('contained')];
    if (open && contained) return wrong('--contained and --open say the opposite; give one of them');
    const fresh = switches.has('fresh');
    if (fresh && values.has('branch'))
      return wrong('a fresh world has no branches yet; give --fresh or --branch');
    const branch = branchAsked(values);
    if (typeof branch === 'string') return wrong(branch);
    if (branch === null && values.has('cut'))
      return wrong('--cut is for a branch, so that nothing else is in it: --branch new --cut "<message>"');
    const declared = await readDeclarationFile(values.get('declaration'), around.folder);
    if (!declared.ok) return wrong(declared.why);
    await using sinks = new AsyncDisposableStack();
    const sinkOf = (name: 'json' | 'report'): Sink | null | string => {
      const where = values.get(name);
      if (where === undefined) return null;
      const sink = openSink(where, around.folder);
      return typeof sink === 'string' ? `--${name}: ${sink}` : sinks.use(sink);
    };
    const [json, report] = [sinkOf('json'), sinkOf('report')];
    if (typeof json === 'string') return wrong(json);
    if (typeof report === 'string') return wrong(report);
    const cut = values.get('cut') ?? null;
    const isNew = branch !== null && 'fresh' in branch;
    const reviewed = isNew || cut !== null || json !== null || report !== null;
    const keeping = keep(open ? 'open' : contained ? 'contained' : 'contained-if-possible', around);
    // While the namespaces are made.
    const { runInWorld } = await import('../world-run.ts');
    return await runInWorld(
      {
        command,
        declaration: declared.declaration ?? {},
        sandbox: switches.has('sandbox'),
        branch,
        fresh,
        keeping,
        quiet: switches.has('quiet'),
        failOnRefusal: switches.has('fail-on-refusal'),
        review: reviewed ? { cut, json, report, isNew } : null,
      },
      around,
    );
  },
};

/** A text says what is wrong. */
function branchAsked(values: ReadonlyMap<string, string>): BranchAsked | null | string {
  const name = values.get('branch');
  const ttl = secondsOf(values.get('ttl'));
  if (ttl === null) return '--ttl takes 60s to 30d, such as 90s, 15m, 1h or 7d, or seconds';
  if (ttl !== undefined && name !== 'new') return '--ttl is for a branch that is made: --branch new --ttl 1h';
  if (name === undefined) return null;
  return name === 'new' ? { fresh: true, ttl: ttl ?? null } : { name };
}
