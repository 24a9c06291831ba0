// The handlers document of a twin (4.6): a hosted world keeps it in its own state. It is read again on every request in
// that what is in force is what is there.
import type { ScenarioFile } from '../control/http/surroundings.ts';
import type { Log } from '../control/ports/log.ts';
import type { WorldTwin } from './shipped-twins.ts';

const PREFIX = 'scenario/';

/** By vendor. */
export const keptScenarios = (kv: SyncKvStorage): ReadonlyMap<string, string> =>
  new Map([...kv.list<string>({ prefix: PREFIX })].map(([key, text]) => [key.slice(PREFIX.length), text]));

/** Of a world that is not open. */
export const keepScenario = (kv: SyncKvStorage, vendor: string, text: string): void =>
  kv.put(PREFIX + vendor, text);

/** Of the twins that take one: the generative ones. */
export function openScenarios(
  kv: SyncKvStorage,
  twins: readonly WorldTwin[],
  log: Log,
): (vendor: string) => ScenarioFile | null {
  const files = new Map<string, ScenarioFile>();
  for (const { id, twin } of twins) {
    if (!twin.twin.manifest.generative) continue;
    const key = PREFIX + id;
    let text = kv.get<string>(key) ?? null;
    if (text !== null && !twin.load(text).ok)
      log.warn({ twin: id }, 'the handlers that are kept have faults by now; none are in force');
    files.set(id, {
      get text() {
        return text;
      },
      put: async given => {
        const loaded = twin.load(given);
        if (!loaded.ok) {
          twin.load(text);
          return loaded;
        }
        text = given;
        if (given === null) kv.delete(key);
        else kv.put(key, given);
        return loaded;
      },
    });
  }
  return vendor => files.get(vendor) ?? null;
}
