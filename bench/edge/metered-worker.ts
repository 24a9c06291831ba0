// The worker of edge/ with its worlds' rows counted as the platform counts them, those of indexes among them. `GET …?rows=1` at
// a world answers what was counted since the last time.

import worker, { InventoryObject } from '../../edge/worker.ts';
import { WorldObject } from '../../edge/world-object.ts';

export { InventoryObject };

/** Cursors that are kept until they are read: what a statement costs is known when its rows were taken. */
const CURSORS_MAX = 1_000;

type Rows = { read: number; written: number };

class Meter {
  #rows: Rows = { read: 0, written: 0 };
  #cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];

  constructor({ sql }: Pick<DurableObjectStorage, 'sql'>) {
    const exec = sql.exec.bind(sql);
    sql.exec = ((text: string, ...values: unknown[]) => {
      const cursor = exec(text, ...values);
      if (this.#cursors.push(cursor) > CURSORS_MAX) this.#sum();
      return cursor;
    }) as typeof sql.exec;
  }

  take(): Rows {
    this.#sum();
    const rows = this.#rows;
    this.#rows = { read: 0, written: 0 };
    return rows;
  }

  #sum(): void {
    for (const { rowsRead, rowsWritten } of this.#cursors.splice(0)) {
      this.#rows.read += rowsRead;
      this.#rows.written += rowsWritten;
    }
  }
}

class MeteredWorld extends WorldObject {
  readonly #meter: Meter;

  constructor(ctx: DurableObjectState, env: ConstructorParameters<typeof WorldObject>[1]) {
    const meter = new Meter(ctx.storage);
    super(ctx, env);
    this.#meter = meter;
  }

  override async fetch(request: Request): Promise<Response> {
    return new URL(request.url).searchParams.has('rows')
      ? Response.json(this.#meter.take())
      : super.fetch(request);
  }
}

export { MeteredWorld as WorldObject };

// biome-ignore lint/style/noDefaultExport: that is what a worker is
export default worker;
