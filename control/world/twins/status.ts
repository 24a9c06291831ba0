// What a world tells of its twins: which of them are in it and how far they are.
import type { Manifest } from '../../../twins/kit/manifest.ts';
import type { MountedTwin } from '../../../twins/kit/twin.ts';
import type { Counted } from '../log/history-source.ts';

export type TwinInWorld = {
  /** The vendor id. */
  readonly id: string;
  readonly twin: MountedTwin;
  /** Where the twin came from at boot (2.7 `identity`); null when the host has no package for it. */
  readonly package: { readonly name: string; readonly version: string | null } | null;
};

/** 2.13 map entry. */
export type MapEntry = {
  readonly twin: string;
  readonly position: number;
  readonly screens: Manifest['screens'];
  readonly root: null;
  readonly resources: readonly Counted[];
};

/** 2.7, the fields a world without roots has. */
export type TwinStatus = {
  readonly twin: string;
  readonly identity: {
    readonly mounted: { readonly package: string; readonly version: string | null } | null;
    readonly pinned: string | null;
  };
  readonly execution: { readonly rootConnected: boolean; readonly deploy: null };
  readonly dataOrigin: 'shared-history' | 'vendor-refresh' | 'unrecorded';
  readonly protocol: Manifest['protocol'];
  readonly screens: Manifest['screens'];
  readonly root: null;
  readonly credential: { readonly sealed: boolean };
  readonly refresh: { readonly lastAt: string | null };
  readonly position: number;
  readonly receipt: null;
};

type Seated = { readonly id: string; readonly manifest: Manifest; readonly package: TwinInWorld['package'] };

export const twinStatus = ({ id, manifest, package: origin }: Seated, position: number): TwinStatus => ({
  twin: id,
  identity: {
    mounted: origin === null ? null : { package: origin.name, version: origin.version },
    pinned: origin === null ? null : `${origin.name}@${origin.version ?? manifest.version}`,
  },
  execution: { rootConnected: false, deploy: null },
  dataOrigin: 'unrecorded',
  protocol: manifest.protocol,
  screens: manifest.screens,
  root: null,
  credential: { sealed: false },
  refresh: { lastAt: null },
  position,
  receipt: null,
});
