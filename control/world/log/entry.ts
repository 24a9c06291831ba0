// A line of a twin's log, as the endpoints answer it (twins.md `Entry`, 2.13).

export type Actor = {
  readonly type: 'client' | 'system' | 'root' | 'webhook' | 'origin';
  readonly id?: string;
};

export type Change = {
  readonly op: 'put' | 'delete' | 'blob' | 'ref';
  readonly type: string;
  readonly id: string;
  readonly before?: unknown;
  readonly after?: unknown;
};

/** Which webhook a `webhook.delivered` or `webhook.failed` entry tells of. */
export type DeliveryNote = {
  readonly id: string;
  readonly endpoint: { readonly id: string; readonly url: string };
  readonly event: { readonly id: string; readonly type: string };
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly status?: number;
  readonly error?: string;
};

export type Entry = {
  /** `<twin>:<position>`. */
  readonly id: string;
  readonly twin: string;
  /** 1 for a twin's first entry; dense. */
  readonly position: number;
  readonly kind: string;
  /** ISO 8601, world time. */
  readonly occurredAt: string;
  /** ISO 8601, wall time. */
  readonly recordedAt: string;
  readonly actor: Actor;
  readonly caller?: string;
  readonly changes: readonly Change[];
  readonly request?: { readonly method: string; readonly path: string };
  readonly trace?: { readonly traceId: string; readonly spanId: string; readonly parentId: string | null };
  /** The entry that caused this one, for what the system does on its own. */
  readonly cause?: string;
  readonly delivery?: DeliveryNote;
};
