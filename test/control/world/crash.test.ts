// Invariant 25: a world that is killed at any moment has everything it acknowledged, and nothing by half.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { openBlobs } from '../../../control/node/blobs.ts';
import { chanceOf } from '../../kit/chance.ts';
import { checkStore } from '../../kit/log-fold.ts';
import { openNoteWorld } from '../../kit/note-world.ts';
import { SEED } from '../../kit/seed.ts';

const KILLS = 10;
const WRITER = join(import.meta.dirname, '..', '..', 'kit', 'note-writer.ts');

/** Kills the writer when it has acknowledged about `count` writes, and answers the last it acknowledged. */
const killAfter = async (file: string, count: number): Promise<number> => {
  const writer = spawn(process.execPath, [WRITER, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(writer, 'exit');
  let text = '';
  let killed = false;
  writer.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    if (killed || text.split('\n').length <= count) return;
    killed = true;
    writer.kill('SIGKILL');
  });
  const [code, signal] = (await exited) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself (${code})`);
  const lines = text.split('\n').slice(0, -1);
  return Number(lines.at(-1)!.replace('start ', ''));
};

t.test(
  '[storage 25] SIGKILL at any moment loses nothing that was acknowledged and leaves nothing by half',
  async t => {
    const folder = t.testdir();
    const file = `${folder}/world.db`;
    const { below } = chanceOf(SEED);
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const before = acknowledged;
      acknowledged = await killAfter(file, 2 + below(200));
      t.ok(acknowledged > before, 'it went on where it was killed');
      await using at = await openNoteWorld({ file });
      const { position } = (await at.world.map())[0]!;
      t.ok(position >= acknowledged, `${position} written, ${acknowledged} acknowledged`);
      await checkStore(at);
      const [left, right] = [await at.ask('GET', '/notes/left'), await at.ask('GET', '/notes/right')];
      t.equal(left.body.n, right.body.n, 'what was written together is there together');
      const files = at.sql.all<{ sha: string }>(
        'SELECT lower(hex(sha)) AS sha FROM blob WHERE inline IS NULL ORDER BY sha',
      );
      t.strictSame(
        [...openBlobs(`${folder}/blobs`).list()].sort(),
        files.map(({ sha }) => sha),
        'a file for each name',
      );
      t.equal(at.sql.get<{ integrity_check: string }>('PRAGMA integrity_check')!.integrity_check, 'ok');
    }
  },
);
