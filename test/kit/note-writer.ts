// A process that writes to a world until it is killed and says each position it was told was written. Its
// argument is the world's file.
import { writeSync } from 'node:fs';
import { EPOCH, openNoteWorld } from './note-world.ts';

const file = process.argv[2];
if (file === undefined) throw new Error('which file?');
const at = await openNoteWorld({ file });
const start = (await at.world.map())[0]!.position;
writeSync(1, `start ${start}\n`);
for (let n = start; ; n++) {
  // Two records that must stand together, one that comes and goes, and an event that falls due on the way.
  const puts = [
    ['left', { n, tag: 'pair', filler: 'x'.repeat(n % 700) }],
    ['right', { n, tag: 'pair' }],
    [`n${n % 50}`, { n }],
  ];
  await at.ask('POST', '/bulk', { puts, deletes: n % 3 === 0 ? [`n${(n + 7) % 50}`] : [] });
  if (n % 5 === 0) await at.ask('POST', `/due/d${n % 7}`, { at: EPOCH, payload: {} });
  const { position } = (await at.world.map())[0]!;
  writeSync(1, `${position}\n`);
}
