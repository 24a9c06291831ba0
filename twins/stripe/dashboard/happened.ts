// What happened to an object: the entries of the log that wrote it, and the events that those told.
import { type Html, html } from '../../kit/html.ts';
import type { Logged } from '../../kit/tx.ts';
import { find } from '../api/act.ts';
import type { Event } from '../events/records.ts';
import type { RecordName } from '../records.ts';
import { eventColumns } from './events.ts';
import { requestColumns } from './request-columns.ts';
import { section } from './table.ts';
import type { Visit } from './visit.ts';

const ENTRIES_SHOWN = 10;
const EVENTS_SHOWN = 20;
/** One entry may have told of thousands, as when a test clock is advanced by a year. */
const EVENTS_READ = 60;

export function happened(visit: Visit, type: RecordName, id: string): Html {
  const entries = visit.act.tx.log.about(type, id, ENTRIES_SHOWN);
  const told: Event[] = [];
  let read = 0;
  for (const entry of entries) {
    const ids = toldBy(entry, type, id, EVENTS_READ - read);
    read += ids.length;
    // The newest of an entry is the last.
    for (const each of ids.reverse()) {
      const event = find(visit.act, 'event', each);
      if (event !== undefined && isAbout(event, id)) told.push(event);
    }
    if (told.length >= EVENTS_SHOWN) break;
  }
  return html`${section(visit, 'Events', eventColumns, told.slice(0, EVENTS_SHOWN))}
${section(visit, 'Logs', requestColumns, entries)}`;
}

/** The events of an entry; of many, those that were told after the object was first written. */
function toldBy({ changes }: Logged, type: RecordName, id: string, limit: number): string[] {
  const eventsOf = (some: Logged['changes']): string[] =>
    some.filter(change => change.type === 'event').map(change => change.id);
  const all = eventsOf(changes);
  if (all.length <= limit) return all;
  const from = changes.findIndex(change => change.type === type && change.id === id);
  return eventsOf(changes.slice(from)).slice(0, limit);
}

/** It tells of the object, or of one that names it. */
function isAbout({ data }: Event, id: string): boolean {
  return Object.values(data.object).includes(id);
}
