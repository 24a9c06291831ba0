// What a world tells of its twins (2.7, 2.13): which of them are in it, how far they are, and the real vendor behind each.
import type { Manifest } from '../../../twins/kit/manifest.ts';
import type { Sql } from '../../ports/sql.ts';
import type { Counted } from '../log/history-source.ts';
import { type LastReceipt, lastReceipt } from '../log/receipt-row.ts';
import type { TwinInWorld } from '../twins/twin-in-world.ts';
import type { Root } from './root.ts';
import type { RefreshStanding } from './rooted-twins.ts';

/** 2.13 map entry. */
export type MapEntry = {
  readonly twin: string;
  readonly position: number;
  readonly screens: Manifest['screens'];
  readonly root: Root | null;
  readonly resources: readonly Counted[];
};

/** 2.7. */
export type TwinStatus = {
  readonly twin: string;
  readonly identity: {
    readonly mounted: { readonly package: string; readonly version: string | null } | null;
    readonly pinned: string | null;
  };
  readonly execution: { readonly rootConnected: boolean; readonly deploy: Root['deploy'] | null };
  readonly dataOrigin: 'shared-history' | 'vendor-refresh' | 'unrecorded';
  readonly protocol: Manifest['protocol'];
  readonly screens: Manifest['screens'];
  readonly root: Root | null;
  readonly credential: { readonly sealed: boolean };
  readonly refresh: RefreshStanding;
  readonly position: number;
  readonly receipt: LastReceipt | null;
};

type Seated = { readonly id: string; readonly manifest: Manifest; readonly package: TwinInWorld['package'] };

export const twinStatus = (
  { id, manifest, package: origin }: Seated,
  {
    sql,
    root,
    refresh,
    position,
  }: {
    readonly sql: Pick<Sql, 'get'>;
    readonly root: Root | null;
    readonly refresh: RefreshStanding;
    readonly position: number;
  },
): TwinStatus => ({
  twin: id,
  identity: {
    mounted: origin === null ? null : { package: origin.name, version: origin.version },
    pinned: origin === null ? null : `${origin.name}@${origin.version ?? manifest.version}`,
  },
  execution: { rootConnected: root !== null, deploy: root?.deploy ?? null },
  dataOrigin: refresh.lastAt === null ? 'unrecorded' : 'vendor-refresh',
  protocol: manifest.protocol,
  screens: manifest.screens,
  root,
  credential: { sealed: isSealed(sql, id) },
  refresh,
  position,
  receipt: lastReceipt(sql, id),
});

const isSealed = (sql: Pick<Sql, 'get'>, twin: string): boolean =>
  sql.get('SELECT 1 AS found FROM seal WHERE ref = ?', twin) !== undefined;
