// A world on the edge brought back, and the savepoint for that: it lies in tables beside the world's own, so it outlives the
// times in which the platform puts the object away.
import { bringBack, noSuchName } from '../control/http/bringing-back.ts';
import type { Surroundings } from '../control/http/surroundings.ts';
import { besideTables, Savepoint } from '../control/world/past/savepoint.ts';
import type { World } from '../control/world/world.ts';
import { keptScenarios } from './scenario.ts';
import type { WorldTwin } from './shipped-twins.ts';
import type { EdgeSql } from './sql.ts';

/** Of the handlers as they were at the savepoint, by vendor. */
const PREFIX = 'savepoint-scenario/';

type Parts = {
  readonly isBranch: boolean;
  readonly world: World;
  readonly sql: EdgeSql;
  readonly kv: SyncKvStorage;
  readonly twins: readonly WorldTwin[];
} & Pick<Surroundings, 'browsers'> & { readonly scenario: NonNullable<Surroundings['scenario']> };

export function openGoingBack(parts: Parts): Pick<Surroundings, 'reset' | 'savepoint'> {
  const { isBranch, world, sql, kv, twins, browsers, scenario } = parts;
  const savepoint = new Savepoint(sql, besideTables(sql));
  const handlersBack = async (): Promise<void> => {
    for (const { id, twin } of twins) {
      const file = scenario(id);
      const text = kv.get<string>(PREFIX + id) ?? null;
      if (file !== null && file.text !== text) await file.put(text);
      twin.recount();
    }
  };
  return {
    reset: async ask => {
      const outcome = await bringBack(
        {
          sql,
          isBranch,
          now: async () => Date.parse((await world.clock()).at),
          rewrite: work => world.rewrite(work),
          savepoint,
          onSavepoint: handlersBack,
          toName: async name => noSuchName(name),
        },
        ask,
      );
      if (outcome.ok) await browsers.renew();
      return outcome;
    },
    savepoint: isBranch
      ? null
      : async () => {
          await world.kept();
          // Nothing is waited for from here on: the platform keeps all of it or nothing.
          savepoint.take();
          for (const [key] of [...kv.list({ prefix: PREFIX })]) kv.delete(key);
          for (const [vendor, text] of keptScenarios(kv)) kv.put(PREFIX + vendor, text);
        },
  };
}
