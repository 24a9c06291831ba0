// A process that writes to a world until it is killed and says each position it was told was written. Its
// argument is the world's file.
import { writeSync } from 'node:fs';
import { EPOCH, openNoteWorld } from './note-world.ts';

const file = process.argv[2];
if (file === undefined) throw new Error('which file?');
const at = await openNoteWorld({ file });
const filled = (length: number): Uint8Array => new Uint8Array(length).fill(length % 256);
const start = (await at.world.map())[0]!.position;
writeSync(1, `start ${start}\n`);
for (let n = start; ; n++) {
  // Two records that must stand together, one that comes and goes, and an event that falls due on the way.
  const puts = [
    ['left', { n, tag: 'pair', filler: 'x'.repeat(n % 700) }],
    ['right', { n, tag: 'pair' }],
    [`n${n % 50}`, { n }],
  ];
  const calls = [at.ask('POST', '/bulk', { puts, deletes: n % 3 === 0 ? [`n${(n + 7) % 50}`] : [] })];
  // Calls of one turn are committed together, and one among them that fails takes none with it.
  if (n % 2 === 0) calls.push(at.ask('POST', '/throw', {}), at.ask('PUT', `/notes/m${n % 9}`, { n }));
  // Bytes in the store, bytes in a file, and a record that is itself too long for a row.
  if (n % 7 === 0) calls.push(at.ask('PUT', `/files/f${n}`, undefined, { body: filled(1000 + n) }));
  if (n % 11 === 0) calls.push(at.ask('PUT', `/files/g${n}`, undefined, { body: filled(300_000 + n) }));
  if (n % 31 === 0) calls.push(at.ask('PUT', '/notes/long', { n, text: 'y'.repeat(1_100_000 + n) }));
  for (const { status } of await Promise.all(calls))
    if (status !== 200 && status !== 500) throw new Error(`${status}`);
  if (n % 5 === 0) await at.ask('POST', `/due/d${n % 7}`, { at: EPOCH, payload: {} });
  const { position } = (await at.world.map())[0]!;
  writeSync(1, `${position}\n`);
}
