// A command in namespaces of its own, in a world that is up: what of the world's has to be known there.
import { dirname } from 'node:path';
import type { Containment } from '../contained/containment.ts';
import type { WorldConfig } from '../control/world/config/config.ts';
import { DEFAULT_RUN } from '../policy/run.ts';
import { type ChildEnd, endOf, inForeground, whyNotRun } from './child.ts';
import type { Environment, TrustFiles } from './environment.ts';
import { nssStore } from './nss-store.ts';

/** For what runs inside, to know. */
const CONTAINED = 'WRLD_WORLD_CONTAINED';

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

export async function runContained(containment: Containment, asked: ContainedCommand): Promise<ChildEnd> {
  const { command, env, baseUrl, proxyUrl, runsSocket, token, streamPorts, config, trust, caFile } = asked;
  const [program = ''] = command;
  const cannot = await whyNotRun(program, env);
  if (cannot !== null) return cannot;
  const proxy = new URL(proxyUrl);
  const credentials =
    proxy.username === '' ? `${DEFAULT_RUN.name}:${token}` : `${proxy.username}:${proxy.password}`;
  const nss = await nssStore(dirname(trust.bundle), caFile, env['HOME']);
  const ended = containment.run({
    command,
    env: { ...env, [CONTAINED]: '1' },
    proxySocket: runsSocket,
    credentials,
    proxyPort: portOf(proxy),
    directPorts: [...new Set([portOf(new URL(baseUrl)), ...streamPorts])],
    ports: config === null ? [] : [...new Set(portsOf(config))],
    mounts: nss === null ? [] : [{ file: nss.folder, over: nss.over }],
    trust: { bundle: trust.bundle, java: trust.java?.file ?? null },
  });
  return await inForeground(
    signal => containment.signal(signal),
    ended.then(end => (end.ok ? endOf(end.code, end.signal) : { code: 1, problem: end.why })),
  );
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
