// A program of an image's in its sandbox, with what the world gives it: its environment, its files, and the way to the proxy.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { networkDeclaration } from '../images/declaration-text.ts';
import type { DeclaredImage } from '../images/declared-image.ts';
import type { RunStart } from '../images/native/messages.ts';
import type { NativeSandbox, SandboxEnd } from '../images/native/sandbox.ts';
import { refuse } from '../policy/refusal.ts';
import { DEFAULT_RUN } from '../policy/run.ts';
import type { DeclaredRun } from './declared-run.ts';
import { type ImagePlan, providedFiles } from './image-plan.ts';
import { listenForStreams } from './stream-listener.ts';
import { ATTACH_FOLDER, worldEnvironment } from './world-environment.ts';
import type { PlaceOfRun, ReachOfRun } from './world-run.ts';

export type NativeProgram = Pick<ImagePlan, 'words' | 'env' | 'root' | 'limits'> &
  Pick<RunStart, 'leads' | 'saves'> & {
    readonly image: Pick<DeclaredImage, 'name' | 'dependsOn'> & Parameters<typeof networkDeclaration>[0];
    /** Names that have an address of their own in it. */
    readonly hosts: RunStart['root']['hosts'];
  };

export type ProgramGround = {
  readonly reach: ReachOfRun;
  readonly place: PlaceOfRun;
  readonly run: Extract<DeclaredRun, { ok: true }>;
  /** What is open as long as the program runs. */
  readonly opened: AsyncDisposableStack;
  readonly tell: (line: string) => void;
};

/** Stands in the record for the target that only the process knows. */
const NATIVE_TARGET = '{target}';

export async function runProgram(
  sandbox: NativeSandbox,
  { image, words, env, root, limits, leads, hosts, saves }: NativeProgram,
  { reach: around, place, run, opened, tell }: ProgramGround,
): Promise<SandboxEnd> {
  const reach = { ...around, proxyUrl: run.proxyUrl };
  // Who is named here is reached as it is: the world judges what leads out of it.
  const near = [...image.dependsOn.keys(), env['NO_PROXY'] ?? env['no_proxy'] ?? ''];
  const own = { ...env, NO_PROXY: near.filter(Boolean).join(','), no_proxy: '' };
  const attached = await worldEnvironment(place.paths, reach, own);
  if (!attached.ok) return { ok: false, why: attached.why, kept: { paths: [], more: 0 } };
  const streams = opened.use(await listenForStreams(attached.streams, { ...reach, tell }));
  const declared = await declarationFile(image, around, place);
  const policy = attached.set['WRLD_WORLD_NETWORK_POLICY']!;
  const proxy = new URL(run.proxyUrl);
  return await sandbox.run({
    words,
    env: { TERM: 'xterm', ...env, ...attached.set, ...streams.set, WRLD_WORLD_DECLARATION: declared },
    root: { ...root, ...providedFiles(attached.trust, [policy, declared, ATTACH_FOLDER]), hosts },
    ...{ limits, leads, saves },
    proxySocket: around.runsSocket!,
    credentials:
      proxy.username === '' ? `${DEFAULT_RUN.name}:${reach.token}` : `${proxy.username}:${proxy.password}`,
    worldAddress: addressOf(proxy),
    proxyPort: Number(proxy.port),
    worldPorts: [Number(new URL(reach.baseUrl).port)],
    directPorts: [...new Set([...attached.streamPorts, ...streams.ports])],
  });
}

/** What a process of the run reads of its declaration (7.1), named by its text. */
async function declarationFile(
  image: NativeProgram['image'],
  { worldUrl, baseUrl }: ReachOfRun,
  { paths }: PlaceOfRun,
): Promise<string> {
  const declaration = networkDeclaration(image);
  const text = `${JSON.stringify({
    kind: 'wrld-world-declaration',
    version: 1,
    world: worldUrl,
    image: image.name,
    declaration,
    nativeDirect: refuse('native-direct', { target: NATIVE_TARGET }, baseUrl, declaration),
  })}\n`;
  const folder = join(paths.run, 'declarations');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.json`);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

function addressOf({ hostname }: URL): string {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? '127.0.0.1' : address;
}
