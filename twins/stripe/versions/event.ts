// An event as an older version told of it: its object, and what of that changed.
import type { View, Viewer } from '../api/view.ts';
import { isHash, previousAttributes } from '../events/previous-attributes.ts';
import type { Event } from '../events/records.ts';
import { VERSIONS } from './versions.ts';

export function eventAsOf(by: Viewer, event: Event, version: string): Event {
  const older = VERSIONS.older(version);
  if (older === null) return { ...event, api_version: version };
  const { object, previous_attributes: previous } = event.data;
  const shown = older.turned(by, object);
  const before = previous === undefined ? null : older.turned(by, over(object, previous));
  return {
    ...event,
    api_version: version,
    data:
      before === null
        ? { object: shown }
        : { object: shown, previous_attributes: previousAttributes(before, shown) },
  };
}

/** The object as it was, from what it is and what changed: hashes by key, everything else whole. */
function over(now: View, previous: View): View {
  const before: { [field: string]: unknown } = { ...now };
  for (const [name, was] of Object.entries(previous)) {
    const held = now[name];
    before[name] = isHash(was) && isHash(held) ? over(held, was) : was;
  }
  return before;
}
