// Builds an image before it is run: each RUN of its build file natively, in a sandbox and a world as the image itself, with what
// that world grants; its output is told as it comes.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { buildImage, type StepPlace } from '../images/build/build.ts';
import { STEP_BYTES_MAX } from '../images/limits.ts';
import type { RunStep } from '../images/makes.ts';
import { openSandbox, type SandboxOptions } from '../images/native/sandbox.ts';
import { cacheFolder } from './cache-folder.ts';
import { endOf } from './child.ts';
import { type ImagePlan, programPath, userOf } from './image-plan.ts';
import { noteText, realPath, shown } from './images.ts';
import { type NativeProgram, type ProgramGround, runProgram } from './native-program.ts';
import type { Output } from './output.ts';

export type BuildGround = Omit<ProgramGround, 'opened'> & {
  readonly output: Output;
  readonly env: SandboxOptions['env'];
  /** Each RUN is run, whatever was made before. */
  readonly again: boolean;
  /** When it is over, so is the build. */
  readonly over: AbortSignal;
};

/** With its files; a text says why it cannot be made. */
export async function builtPlan(plan: ImagePlan, ground: BuildGround): Promise<ImagePlan | string> {
  const { image } = plan;
  const { output, tell, again } = ground;
  const built = await buildImage({
    build: image.build!,
    makes: image.makes,
    cache: cacheFolder('builds'),
    system: plan.root.system,
    hidden: plan.root.hidden.map(realPath),
    realPath,
    again,
    tell: ({ place, text }, isNew) =>
      tell(
        `${shown(`${place.file}:${place.line}: RUN ${text}`)}${isNew ? '' : output.ink('dim', ' (made before)')}`,
      ),
    runStep: (step, at) => runStep(plan, step, at, ground),
  });
  if (!built.ok) return shown(built.why);
  for (const note of built.notes) output.error(`${output.ink('yellow', 'note')} ${noteText(note)}`);
  return { ...plan, root: { ...plan.root, made: built.tree } };
}

async function runStep(
  plan: ImagePlan,
  step: RunStep,
  place: StepPlace,
  ground: BuildGround,
): Promise<string | null> {
  const { output, tell, env, over } = ground;
  const opened = await openSandbox({
    env,
    labelled: true,
    bytesMax: STEP_BYTES_MAX,
    tell,
    // What a program looks for on its way to an image is its own affair.
    heard: () => {},
    dial: (_service, _port, socket) => socket.destroy(),
  });
  if (!opened.ok) return `cannot be run: ${opened.why}`;
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(opened.sandbox);
  const stop = (): void => void sandbox.stop();
  if (over.aborted) return 'is not run any more';
  over.addEventListener('abort', stop);
  stack.defer(() => over.removeEventListener('abort', stop));
  for (const from of [sandbox.output.out, sandbox.output.err]) pass(from, output);
  const end = await runProgram(sandbox, programOf(plan, step, place), { ...ground, opened: stack });
  if (!end.ok) return `did not end well (${end.why})`;
  const { code } = endOf(end.code, end.signal);
  return code === 0 ? null : `ended with ${code}`;
}

function programOf(plan: ImagePlan, step: RunStep, { tree, into, mounts }: StepPlace): NativeProgram {
  const { image, limits, root } = plan;
  const user = userOf(step.user ?? 'root');
  const scratch = step.mounts.flatMap(each => (each.kind === 'scratch' ? [each.target] : []));
  return {
    ...{ image, limits, leads: [], hosts: [] },
    words: step.words,
    env: { PATH: programPath(root.system), HOME: user.home, ...Object.fromEntries(step.env) },
    root: { ...root, made: tree, mounts, user, volumes: scratch, workingFolder: step.workingFolder },
    saves: { into, without: [...scratch, ...mounts.map(({ at }) => at)] },
  };
}

function pass(from: Readable, output: Output): void {
  createInterface({ input: from }).on('line', line => output.error(`${output.ink('dim', '  |')} ${line}`));
}
