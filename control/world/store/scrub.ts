// Holds a store against its own rules (storage.md, invariants 1 to 3): what the log tells is there, once, in order, and
// the newest versions are what the log says they are. It reads and changes nothing.

import type { Sql } from '../../ports/sql.ts';
import { SCRUB_FAULT_LINES_MAX } from '../limits.ts';

type Row = { readonly [column: string]: string | number | null };

export type ScrubRule = {
  /** What holds where nothing is found. */
  readonly holds: string;
  /** Rows that break it, each with what to say of it under `fault`. */
  readonly broken: string;
};

/** In a branch the state of a twin that nobody has touched is its parent's still. */
const OWN_STATE = `twin NOT IN (SELECT twin FROM base WHERE hydrated = 0 AND pos > 0)`;

export const SCRUB_RULES: readonly ScrubRule[] = [
  {
    holds: 'the positions of each twin are dense',
    broken: `SELECT twin || ' has ' || count(*) || ' entries from ' || min(pos) || ' to ' || max(pos) AS fault
      FROM entry GROUP BY twin
      HAVING count(*) <> max(pos) - min(pos) + 1
        OR min(pos) <> 1 + coalesce((SELECT pos FROM base WHERE base.twin = entry.twin), 0)`,
  },
  {
    holds: 'no entry is of an earlier instant than the one before it',
    broken: `SELECT twin || ':' || pos || ' is earlier than the entry before it' AS fault
      FROM (SELECT twin, pos, at, lag(at) OVER (PARTITION BY twin ORDER BY pos) AS before FROM entry)
      WHERE at < before`,
  },
  {
    holds: 'every entry can be read',
    broken: `SELECT twin || ':' || pos || ' is no JSON' AS fault FROM entry
      WHERE NOT json_valid(changes) OR NOT json_valid('{"method":""' || coalesce(asked, '') || '}')`,
  },
  {
    // A page may be whole, and what stands in it may not be what was written.
    holds: 'every version can be read',
    broken: `SELECT twin || ' ' || type || ' ' || id || ' as of ' || pos || ' is no JSON' AS fault
      FROM (SELECT twin, type, id, pos, body FROM head UNION ALL SELECT twin, type, id, pos, body FROM ver)
      WHERE NOT json_valid(body)`,
  },
  {
    holds: 'every change has its version',
    broken: `SELECT entry.twin || ':' || entry.pos || ' changed ' || (change.value ->> 'type') || ' ' || (change.value ->> 'id') ||
        ', of which that version is not there' AS fault
      FROM entry, json_each(CASE WHEN json_valid(entry.changes) THEN entry.changes ELSE '[]' END) AS change
      WHERE CASE change.value ->> 'op'
        WHEN 'put' THEN NOT EXISTS (SELECT 1 FROM head WHERE head.twin = entry.twin
            AND head.type = change.value ->> 'type' AND head.id = change.value ->> 'id' AND head.pos = entry.pos)
          AND NOT EXISTS (SELECT 1 FROM ver WHERE ver.twin = entry.twin AND ver.type = change.value ->> 'type'
            AND ver.id = change.value ->> 'id' AND ver.pos = entry.pos AND ver.body IS NOT NULL)
        WHEN 'delete' THEN NOT EXISTS (SELECT 1 FROM ver WHERE ver.twin = entry.twin
            AND ver.type = change.value ->> 'type' AND ver.id = change.value ->> 'id' AND ver.pos = entry.pos
            AND ver.body IS NULL)
        WHEN 'blob' THEN NOT EXISTS (SELECT 1 FROM blob WHERE lower(hex(sha)) = change.value ->> 'id')
        ELSE 0 END`,
  },
  {
    holds: 'every version has its entry',
    broken: `SELECT twin || ' has a version of ' || type || ' ' || id || ' at ' || pos || ', which no entry tells of' AS fault
      FROM (SELECT twin, type, id, pos FROM ver UNION ALL SELECT twin, type, id, pos FROM head) AS version
      WHERE pos > coalesce((SELECT pos FROM base WHERE base.twin = version.twin), 0)
        AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.twin = version.twin AND entry.pos = version.pos)`,
  },
  {
    holds: 'what stands is the newest version',
    broken: `SELECT head.twin || ' ' || head.type || ' ' || head.id || ' stands as of ' || head.pos || ', and ' || ver.pos || ' is newer' AS fault
      FROM ver JOIN head ON head.twin = ver.twin AND head.type = ver.type AND head.id = ver.id AND ver.pos >= head.pos`,
  },
  {
    holds: 'the counts are those of what stands',
    broken: `SELECT twin || ' counts ' || sum(told) || ' of ' || type || ', and has ' || sum(there) AS fault
      FROM (SELECT twin, type, records AS told, 0 AS there FROM tally
        UNION ALL SELECT twin, type, 0, count(*) FROM head GROUP BY twin, type)
      WHERE ${OWN_STATE} GROUP BY twin, type HAVING sum(told) <> sum(there)`,
  },
  {
    holds: 'what lists scan is there',
    broken: `SELECT twin || ' lists ' || type || ' by ' || name || ' at ' || ord || ', where nothing stands' AS fault FROM idx
      WHERE NOT EXISTS (SELECT 1 FROM head WHERE head.twin = idx.twin AND head.type = idx.type AND head.ord = idx.ord)`,
  },
  {
    holds: 'every webhook that waits has what is to be sent',
    broken: `SELECT 'webhook ' || id || ' of ' || twin || ' has no body' AS fault FROM delivery WHERE state = 'pending' AND body IS NULL`,
  },
];

/** What breaks the rule, in words; empty when nothing does. */
export const faultsOf = (sql: Pick<Sql, 'all'>, { broken }: ScrubRule): readonly string[] => {
  const rows = sql.all<Row>(`${broken} LIMIT ${SCRUB_FAULT_LINES_MAX + 1}`);
  const faults = rows.slice(0, SCRUB_FAULT_LINES_MAX).map(({ fault }) => String(fault));
  return rows.length > SCRUB_FAULT_LINES_MAX ? [...faults, 'and more'] : faults;
};
