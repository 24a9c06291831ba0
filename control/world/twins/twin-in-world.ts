// A twin as a host puts it into a world.
import type { MountedTwin } from '../../../twins/kit/twin.ts';

export type TwinInWorld = {
  /** The vendor id. */
  readonly id: string;
  readonly twin: MountedTwin;
  /** Where the twin came from at boot (2.7 `identity`); null when the host has no package for it. */
  readonly package: { readonly name: string; readonly version: string | null } | null;
};
