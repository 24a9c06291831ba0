// Backups of worlds that are up and written to.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { makeBackup } from '../../../control/node/backup.ts';
import { checkStore } from '../../../control/node/check-store.ts';
import { readSqlite } from '../../../control/node/sqlite.ts';
import { unfinishedName } from '../../../control/node/unfinished.ts';
import { openNoteWorld } from '../../kit/note-world.ts';

const filesIn = (folder: string) => ({
  database: join(folder, 'world.db'),
  blobs: join(folder, 'blobs'),
  marks: join(folder, 'marks.json'),
});
/** Where a backup's bytes are: in itself. */
const backupFiles = (file: string) => ({ database: file, blobs: '/nowhere', marks: '/nowhere/marks.json' });

t.test(
  'a backup has all that was acknowledged before it, while writes go on, and passes the check',
  async t => {
    const folder = t.testdir();
    const files = filesIn(folder);
    await using at = await openNoteWorld({ file: files.database });
    for (let n = 0; n < 300; n++) await at.ask('PUT', `/notes/n${n}`, { text: 'x'.repeat(3_000) });
    let going = true;
    let written = 0;
    const writing = (async () => {
      while (going) {
        await at.ask('PUT', `/notes/more${written}`, { text: 'y'.repeat(500) });
        written += 1;
        await new Promise(setImmediate);
      }
    })();
    const seen: number[] = [];
    const to = join(folder, 'backups', 'b.backup');
    const made = await makeBackup({
      files,
      world: 'acme/notes',
      to,
      told: (_what, done) => void seen.push(done),
    });
    going = false;
    await writing;
    t.ok(made.positions['note']! >= 300, `${made.positions['note']} entries`);
    t.equal(statSync(to).size, made.bytes);
    t.equal(statSync(to).mode & 0o077, 0, 'nobody else reads it');
    t.strictSame(readdirSync(join(folder, 'backups')), ['b.backup'], 'nothing else is left');
    const report = await checkStore(backupFiles(to));
    t.strictSame(
      report.checks.flatMap(({ faults }) => faults),
      [],
    );
    t.match(report, { ok: true, positions: made.positions });
    t.match(
      (await checkStore(files, { running: true })).checks.flatMap(({ faults }) => faults),
      [],
      'and so does the world that is up',
    );
    t.strictSame([seen.at(0), seen.at(-1)], [0, 1], 'it is told of from its beginning to its end');
    t.strictSame(
      seen,
      seen.toSorted((a, b) => a - b),
      'and that only grows',
    );
    await t.rejects(makeBackup({ files, world: 'acme/notes', to }), /is there already/);
  },
);

t.test('what a backup left that was killed goes with the next one', async t => {
  const folder = t.testdir({ backups: {} });
  const files = filesIn(folder);
  await using _at = await openNoteWorld({ file: files.database });
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  const to = join(folder, 'backups', 'b.backup');
  const left = unfinishedName(to).replace(`.${process.pid}.`, `.${gone}.`);
  for (const ending of ['', '-journal', '-wal', '-shm']) writeFileSync(`${left}${ending}`, 'half');
  await makeBackup({ files, world: 'acme/notes', to });
  t.strictSame(readdirSync(join(folder, 'backups')), ['b.backup']);
});

t.test('large bytes are in it, and what opens the world is not', async t => {
  const folder = t.testdir();
  const files = filesIn(folder);
  await using at = await openNoteWorld({ file: files.database });
  const bytes = new Uint8Array(400_000).fill(7);
  at.sql.transaction(() => void at.blobs.put(bytes));
  at.sql.run("INSERT INTO token(scope, hash) VALUES ('write', x'0102')");
  const to = join(folder, 'b.backup');
  await makeBackup({ files, world: 'acme/notes', to });
  t.match(await checkStore(backupFiles(to)), { ok: true });
  t.same(
    readSqlite(to, sql => [
      sql.all('SELECT * FROM token'),
      sql.all('SELECT length(bytes) AS n FROM backup_blob'),
    ]),
    [[], [{ n: bytes.length }]],
  );
  t.notOk(existsSync(`${to}-wal`));
});
