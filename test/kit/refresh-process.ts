// A process with a note world on a file, whose root is at a URL: it refreshes, says so when it is done, and waits to be ended.
import { asksByFetch } from './asks-by-fetch.ts';
import { openNoteWorld } from './note-world.ts';
import { ROOT, rootedNote } from './rooted-note.ts';

const [, , file = '', url = ''] = process.argv;
const notes = await openNoteWorld({
  file,
  wall: { at: Date.now() },
  twins: { note: rootedNote() },
  vendors: { asks: asksByFetch(() => url, []) },
});
const { roots } = notes.world;
if (roots.get('note') === null) {
  await roots.put('note', ROOT);
  await roots.refresh('note', { force: true });
}
await roots.settled();
console.log(JSON.stringify(roots.standing('note')));
await new Promise(() => setInterval(() => {}, 60_000));
