// A command in namespaces of its own, in a world that is up: what of the world's has to be known there.
import module from 'node:module';
import { dirname } from 'node:path';
import { type Bundles, findBundles, SYSTEM_BUNDLES } from '../contained/bundles.ts';
import { type Containment, openContainment } from '../contained/containment.ts';
import type { Mount } from '../contained/mounts.ts';
import type { WorldConfig } from '../control/world/config/config.ts';
import { DEFAULT_RUN } from '../policy/run.ts';
import { type ChildEnd, endOf, inForeground, whyNotRun } from './child.ts';
import type { Surround } from './command.ts';
import type { Environment, TrustFiles } from './environment.ts';
import { type NssStore, nssStore } from './nss-store.ts';

/** For what runs inside, to know. */
const CONTAINED = 'WRLD_WORLD_CONTAINED';

/** How a run keeps to its world: contained where that is possible, contained or not at all, or by variables alone. */
export type Keeping = 'contained-if-possible' | 'contained' | 'open';

export type Kept =
  | { readonly ok: true; readonly containment: Containment; readonly bundles: Bundles }
  /** It was not asked for, or cannot be, which has been said. */
  | { readonly ok: true; readonly containment: null }
  /** It cannot be, and was insisted on; it has been said why. */
  | { readonly ok: false };

export async function keep(keeping: Keeping, { output, env, folder }: Surround): Promise<Kept> {
  if (keeping === 'open') return { ok: true, containment: null };
  const opening = openContainment({
    env,
    cacheFolder: module.getCompileCacheDir?.(),
    tell: line => output.error(`wrld world run: ${line}`),
  });
  // While the namespaces are made.
  const bundles = findBundles({ folders: [folder], env });
  const opened = await opening;
  if (opened.ok) return { ...opened, bundles };
  if (keeping === 'contained') {
    output.error(`wrld world run: cannot contain the command: ${opened.why}`);
    return { ok: false };
  }
  output.error(
    `wrld: not contained (${opened.why}): a client that reads neither proxy variables nor hooks reaches the real vendor. --open leaves this line out`,
  );
  return { ok: true, containment: null };
}

export type ContainedCommand = {
  readonly command: readonly string[];
  readonly env: Environment | { readonly [name: string]: string | undefined };
  readonly baseUrl: string;
  /** As the variables name it. */
  readonly proxyUrl: string;
  readonly runsSocket: string;
  readonly token: string;
  /** On this machine's loopback: where streams of the world's twins listen. */
  readonly streamPorts: readonly number[];
  /** Null where it cannot be read: the usual ports answer. */
  readonly config: WorldConfig | null;
  readonly trust: TrustFiles;
  /** The world's authority alone, in PEM. */
  readonly caFile: string;
};

export async function runContained(
  { containment, bundles }: Extract<Kept, { readonly bundles: unknown }>,
  asked: ContainedCommand,
): Promise<ChildEnd> {
  const { command, env, baseUrl, proxyUrl, runsSocket, token, streamPorts, config, trust, caFile } = asked;
  const [program = ''] = command;
  const cannot = await whyNotRun(program, env);
  if (cannot !== null) return cannot;
  const proxy = new URL(proxyUrl);
  const credentials =
    proxy.username === '' ? `${DEFAULT_RUN.name}:${token}` : `${proxy.username}:${proxy.password}`;
  const ended = containment.run({
    command,
    env: { ...env, [CONTAINED]: '1' },
    proxySocket: runsSocket,
    credentials,
    proxyPort: portOf(proxy),
    directPorts: [...new Set([portOf(new URL(baseUrl)), ...streamPorts])],
    ports: config === null ? [] : [...new Set(portsOf(config))],
    mounts: mountsOf(trust, bundles, await nssStore(dirname(trust.bundle), caFile, env['HOME'])),
  });
  return await inForeground(
    signal => containment.signal(signal),
    ended.then(end => (end.ok ? endOf(end.code, end.signal) : { code: 1, problem: end.why })),
  );
}

function mountsOf({ bundle, java }: TrustFiles, found: Bundles, nss: NssStore | null): readonly Mount[] {
  return [
    ...[...SYSTEM_BUNDLES, ...found.pem].map(over => ({ file: bundle, over })),
    ...(nss === null ? [] : [{ file: nss.folder, over: nss.over }]),
    ...(java === null ? [] : found.java.map(over => ({ file: java.file, over }))),
  ];
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** Those that the config names: of what it grants, and of its services. */
function portsOf({ network, services, app }: WorldConfig): readonly number[] {
  const origins = [...network.egress, ...network.writes, ...network.passthrough];
  return [
    ...origins.flatMap(text => (URL.canParse(text) ? [portOf(new URL(text))] : [])),
    ...services.map(service => service.port),
    ...(app?.hosts ?? []).flatMap(host => /:(\d+)$/.exec(host)?.slice(1).map(Number) ?? []),
  ];
}
