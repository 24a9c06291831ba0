// `wrld image run`: an image's command natively, in a sandbox that has what a container would have, in the world.
import { resolve } from 'node:path';
import type { DeclaredImage } from '../../images/declared-image.ts';
import { RUN_SECONDS_MAX } from '../../images/limits.ts';
import type { Command, Surround } from '../command.ts';
import { type ImagePlan, planImage } from '../image-plan.ts';
import { runImages } from '../image-run.ts';
import { declarationView, givenImages, IMAGE_FLAGS, realPath, shown } from '../images.ts';
import { keep } from '../keeping.ts';
import { secondsOf } from '../seconds.ts';
import { findFolder } from '../world-folder.ts';
import { runInWorld } from '../world-run.ts';

export const imageRun: Command = {
  words: ['image', 'run'],
  summary: 'run an image’s command natively, in a sandbox, in the world',
  usage:
    '[<path>] [--only <service>[,…]] [--profile <name>[,…]] [--file <file>[,…]] [--target <stage>] [--system <folder>[,…]] [--build] [--rebuild] [--time <time>] [--sandbox] [--fresh] [--quiet] [--fail-on-refusal] [--refusals <file>] [-- <argument>…]',
  flags: {
    ...IMAGE_FLAGS,
    only: {
      type: 'value',
      value: '<service>[,…]',
      does: 'these services of the compose file, and those that they depend on',
    },
    profile: {
      type: 'value',
      value: '<name>[,…]',
      does: 'services of these profiles too; COMPOSE_PROFILES unless given',
    },
    system: {
      type: 'value',
      value: '<folder>[,…]',
      does: 'folders of this machine that stand for the base image’s, read-only, with programs in their bin: ~/.nvm/versions/node/v24.0.0',
    },
    build: {
      type: 'switch',
      does: 'run each RUN first, in a sandbox and the same world; what it makes is kept, and run again when what it came of changes',
    },
    rebuild: { type: 'switch', does: 'as --build, and run each RUN though it was run before' },
    time: {
      type: 'value',
      value: '<time>',
      does: 'end the run after that long: 90s, 15m, 1h; a day unless given',
    },
    sandbox: { type: 'switch', does: 'reach the twins alone: nothing leaves, whatever the config grants' },
    fresh: { type: 'switch', does: 'a world of its own, empty, and gone when the run ends' },
    quiet: { type: 'switch', does: 'say nothing of what is refused' },
    'fail-on-refusal': {
      type: 'switch',
      does: 'exit with 3 where the command is content but something was refused, or kept without being declared',
    },
    refusals: {
      type: 'value',
      value: '<file>',
      does: 'append what the sandbox refused here: reads and kept paths that nothing declares, a record (JSON) a line',
    },
  },
  operandsMax: 1,
  takesCommand: true,
  examples: [
    ['wrld image run', 'the services of this folder’s compose file, or the image of its Dockerfile'],
    [
      'wrld image run api/Dockerfile -- node migrate.mjs',
      'another command in its place, as docker run takes one',
    ],
    [
      'wrld image run app.tar',
      'an image that is built already (docker save, an OCI layout), with its own root',
    ],
    ['wrld image run --only web --time 15m', 'one service, with what it depends on'],
  ],
  notes: [
    'Linux; macOS has less of it (docs/images.md). The command runs on this machine, without a container runtime: with this machine’s system folders read-only in the place of its base image, the files that COPY names, the mounts that the compose file declares (inside the world’s folder), and nothing else. RUN is not run without --build. An image that is built already has its own files in the place of all these. What is written is in memory and gone with the run; what no VOLUME declares is told.',
    'The network is the world’s: HTTPS_PROXY and its like are set, hosts are reached by them alone, and a connection past them is refused by the kernel (EPERM). A published port, or one that is exposed, is opened on this machine’s loopback.',
    "The exit code is the command's own; of several, that of the one that ended first, with which the rest ends. 124 where the time was over. It is no wall against a program that means ill (docs/images.md).",
  ],
  run: async (given, around) => {
    const { operands, values, switches, rest } = given;
    const wrong = (why: string): number => {
      around.output.error(`wrld image run: ${why}`);
      return 2;
    };
    const time = secondsOf(values.get('time'));
    if (time === null) return wrong('--time takes a time, such as 90s, 15m or 1h');
    const read = givenImages(operands[0], values, around);
    if (!read.ok) {
      around.output.error(`wrld image run: ${read.why}`);
      return 1;
    }
    const chosen = chosenImages(read.images.images, values, around);
    if (typeof chosen === 'string') return wrong(chosen);
    if (rest !== null && chosen.filter(each => each.build !== null).length > 1)
      return wrong('arguments are for one image; name it with --only');
    const rebuild = switches.has('rebuild');
    const build = rebuild || switches.has('build');
    if (build && process.platform !== 'linux') return wrong('--build needs Linux');
    const plans = await plansOf(chosen, rest, { system: values.get('system'), build }, around);
    if (typeof plans === 'number') return plans;
    const refusals = values.get('refusals');
    const refusalsFile = refusals === undefined ? null : resolve(around.folder, refusals);
    const [quiet, failOnRefusal] = [switches.has('quiet'), switches.has('fail-on-refusal')];
    return await runInWorld(
      {
        ...{
          command: [],
          declaration: {},
          branch: null,
          keeping: keep('open', around),
          review: null,
          quiet,
          failOnRefusal,
        },
        ...{ sandbox: switches.has('sandbox'), fresh: switches.has('fresh') },
        within: (reach, place) =>
          runImages(
            reach,
            place,
            { plans, quiet, failOnRefusal, time: time ?? RUN_SECONDS_MAX, refusalsFile, rebuild },
            around,
          ),
      },
      around,
    );
  },
};

/** Those that are asked for, each after what it depends on; a text says what is wrong. */
function chosenImages(
  images: readonly DeclaredImage[],
  values: ReadonlyMap<string, string>,
  { env }: Surround,
): readonly DeclaredImage[] | string {
  const listOf = (text: string | undefined): readonly string[] => (text ?? '').split(',').filter(Boolean);
  const profiles = listOf(values.get('profile') ?? env['COMPOSE_PROFILES']);
  const only = listOf(values.get('only'));
  const byName = new Map(images.map(image => [image.name, image]));
  for (const name of only)
    if (!byName.has(name))
      return `no service is called ${shown(name)} (there are: ${shown([...byName.keys()].join(', '))})`;
  const active = images.filter(
    each => each.profiles.length === 0 || each.profiles.some(profile => profiles.includes(profile)),
  );
  // A service without a build file is run by nobody here; the world may have it.
  const asked =
    only.length > 0
      ? only.map(name => byName.get(name)!)
      : active.filter(each => each.build !== null || each.built !== null);
  const chosen: DeclaredImage[] = [];
  const take = (image: DeclaredImage): void => {
    if (chosen.includes(image)) return;
    for (const name of image.dependsOn.keys()) {
      const other = byName.get(name);
      if (other !== undefined && other.build !== null) take(other);
    }
    chosen.push(image);
  };
  for (const image of asked) take(image);
  return chosen.length === 0 ? 'none of the services has a build file' : chosen;
}

/** The exit code where one cannot run. */
async function plansOf(
  images: readonly DeclaredImage[],
  args: readonly string[] | null,
  { system, build }: { readonly system: string | undefined; readonly build: boolean },
  around: Surround,
): Promise<readonly ImagePlan[] | number> {
  const { output, folder } = around;
  const found = await findFolder(folder);
  if (!found.ok) {
    output.error(`wrld image run: ${found.why}`);
    return 2;
  }
  const view = await declarationView(folder);
  const folders = (system ?? '')
    .split(',')
    .filter(Boolean)
    .map(each => realPath(resolve(folder, each)));
  const tell = (line: string): void => output.error(`wrld image run: ${line}`);
  const options = { args, paths: found.paths, view, system: folders, build, tell };
  const planned = await Promise.all(images.map(image => planImage(image, options)));
  const problems = planned.flatMap(each => (each.ok ? [] : each.why));
  for (const line of problems) output.error(`wrld image run: ${line}`);
  return problems.length > 0 ? 1 : planned.flatMap(each => (each.ok ? [each.plan] : []));
}
