// What happened to an object: the entries of the log that wrote it, and the events that those told.
import { type Html, html } from '../../kit/html.ts';
import { find } from '../api/act.ts';
import type { Event } from '../events/records.ts';
import type { RecordName } from '../records.ts';
import { eventColumns } from './events.ts';
import { requestColumns } from './request-columns.ts';
import { section } from './table.ts';
import type { Visit } from './visit.ts';

const ENTRIES_SHOWN = 10;
const EVENTS_SHOWN = 20;

export function happened(visit: Visit, type: RecordName, id: string): Html {
  const { act } = visit;
  const entries = act.tx.log.about(type, id, ENTRIES_SHOWN);
  const told: Event[] = [];
  for (const { changes } of entries) {
    // The newest of an entry is the last.
    for (const change of changes.toReversed()) {
      if (change.type !== 'event') continue;
      if (told.length === EVENTS_SHOWN) break;
      const event = find(act, 'event', change.id);
      if (event !== undefined && isAbout(event, id)) told.push(event);
    }
  }
  return html`${section(visit, 'Events', eventColumns, told)}
${section(visit, 'Logs', requestColumns, entries)}`;
}

/** It tells of the object, or of one that names it. */
function isAbout({ data }: Event, id: string): boolean {
  return Object.values(data.object).includes(id);
}
