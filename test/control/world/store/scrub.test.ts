// Each rule of the scrub, held against a store that breaks it: what never finds anything says nothing where it is silent.
import t from 'tap';
import { SCRUB_FAULT_LINES_MAX } from '../../../../control/world/limits.ts';
import { faultsOf, SCRUB_RULES } from '../../../../control/world/store/scrub.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';

/** By what the rule says; what a damaged store may have, and how it is told. */
const DAMAGES: {
  readonly [holds: string]: readonly (readonly [damage: string, fault: string | RegExp])[];
} = {
  'the positions of each twin are dense': [
    ["DELETE FROM entry WHERE twin = 'note' AND pos = 2", 'note has 4 entries from 1 to 5'],
    ["DELETE FROM entry WHERE twin = 'note' AND pos = 1", 'note has 4 entries from 2 to 5'],
  ],
  'no entry is of an earlier instant than the one before it': [
    ['UPDATE entry SET at = 1 WHERE pos = 3', 'note:3 is earlier than the entry before it'],
  ],
  'every entry can be read': [
    ["UPDATE entry SET changes = replace(changes, '[', '{') WHERE pos = 3", 'note:3 is no JSON'],
    ["UPDATE entry SET asked = replace(asked, ':', '=') WHERE pos = 3", 'note:3 is no JSON'],
  ],
  'every version can be read': [
    ["UPDATE head SET body = substr(body, 2) WHERE id = 'a'", 'note note a as of 3 is no JSON'],
    ["UPDATE ver SET body = replace(body, '\"', 'x') WHERE id = 'a'", 'note note a as of 2 is no JSON'],
  ],
  'every change has its version': [
    ["DELETE FROM ver WHERE id = 'a'", 'note:2 changed note a, of which that version is not there'],
    ["DELETE FROM head WHERE id = 'a'", 'note:3 changed note a, of which that version is not there'],
    ["DELETE FROM ver WHERE id = 'b' AND body IS NULL", /^note:5 changed note b, /],
    ['DELETE FROM blob', /^note:1 changed blob [0-9a-f]{64}, of which that version is not there$/],
  ],
  'every version has its entry': [
    [
      "INSERT INTO ver(twin, type, id, pos, body) VALUES ('note', 'note', 'z', 9, '{}')",
      'note has a version of note z at 9, which no entry tells of',
    ],
  ],
  'what stands is the newest version': [
    [
      "INSERT INTO ver(twin, type, id, pos, body) VALUES ('note', 'note', 'a', 4, '{}')",
      'note note a stands as of 3, and 4 is newer',
    ],
  ],
  'the counts are those of what stands': [
    ["UPDATE tally SET records = 7 WHERE type = 'note'", 'note counts 7 of note, and has 2'],
    ["DELETE FROM tally WHERE type = 'note'", 'note counts 0 of note, and has 2'],
  ],
  'what lists scan is there': [
    [
      "INSERT INTO idx VALUES ('note', 'note', 'tag', 'x', 1)",
      'note lists note by tag at 1, where nothing stands',
    ],
  ],
  'every webhook that waits has what is to be sent': [
    [
      `INSERT INTO delivery(id, twin, trace, endpoint, url, event, event_type, headers, body, state, attempts)
       VALUES (8, 'note', 't', 'h', 'https://app.test', 'e', 'note.put', '[]', NULL, 'pending', '[]')`,
      'webhook 8 of note has no body',
    ],
  ],
};

/** A file and its note, a note that was written over, and one that ended: five entries. */
async function used(): Promise<NoteWorld> {
  const at = await openNoteWorld();
  await at.ask('PUT', '/files/f', undefined, { body: new Uint8Array(400).fill(7) });
  await at.ask('PUT', '/notes/a', { n: 1 });
  await at.ask('PUT', '/notes/a', { n: 2 });
  await at.ask('PUT', '/notes/b', { n: 1 });
  await at.ask('DELETE', '/notes/b');
  return at;
}

t.test('each rule finds what breaks it, and nothing in a store that is whole', async t => {
  t.strictSame(
    Object.keys(DAMAGES),
    SCRUB_RULES.map(({ holds }) => holds),
  );
  for (const rule of SCRUB_RULES) {
    for (const [damage, fault] of DAMAGES[rule.holds] ?? []) {
      await using at = await used();
      t.strictSame(faultsOf(at.sql, rule), [], rule.holds);
      at.sql.run(damage);
      t.match(faultsOf(at.sql, rule), [fault], damage);
      t.equal(faultsOf(at.sql, rule).length, 1);
    }
  }
});

t.test('of many faults the first are told, and that there are more', async t => {
  await using at = await used();
  const insert = "INSERT INTO ver(twin, type, id, pos, body) VALUES ('note', 'note', ?, 99, '{}')";
  for (let n = 0; n <= SCRUB_FAULT_LINES_MAX; n++) at.sql.run(insert, `z${n}`);
  const rule = SCRUB_RULES.find(({ holds }) => holds === 'every version has its entry')!;
  const told = faultsOf(at.sql, rule);
  t.equal(told.length, SCRUB_FAULT_LINES_MAX + 1);
  t.equal(told.at(-1), 'and more');
});
