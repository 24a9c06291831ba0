// What of a world's twins is part of its policy: the hosts and paths that are theirs, and where their streams are.
import type { TwinRoute } from '../../policy/route-table.ts';
import type { SnapshotDocument } from '../../policy/snapshot.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import { twinUrlVariable } from './well-known.ts';

/** `id`: its name in this world. */
export type NamedTwin = { readonly id: string; readonly manifest: Manifest };

/** Of two twins of one protocol the first has its hosts: each is named by its service, and has its own variables. */
export function streamsOf(twins: readonly NamedTwin[]): NonNullable<SnapshotDocument['streams']> {
  const at = new Map<string, NonNullable<SnapshotDocument['streams']>[number]>();
  for (const { id, manifest } of twins) {
    for (const { host, port } of manifest.stream?.hosts ?? []) {
      const known = at.get(`${host}:${port}`);
      if (known === undefined)
        at.set(`${host}:${port}`, { host, port, vendor: id, stream: manifest.stream!.id });
    }
  }
  return [...at.values()];
}

export function routesOf({ id, manifest }: NamedTwin): TwinRoute[] {
  // A variable of the vendor's own is left as it is where interception stands in for it, so the twin's own is named.
  const endpointVariable = twinUrlVariable(id);
  return manifest.hosts.flatMap(({ host, paths }) =>
    paths.map(path => ({
      host,
      path,
      vendor: id,
      endpointVariable,
    })),
  );
}
