import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { makeBackup } from '../../../control/node/backup.ts';
import { backupName, datedBackupsIn, newestBackup, noteOf } from '../../../control/node/backup-files.ts';
import { openNoteWorld } from '../../kit/note-world.ts';

t.test('the newest backup is the one that was made last, whatever people name theirs', async t => {
  const folder = t.testdir({ backups: {} });
  const backups = join(folder, 'backups');
  t.equal(newestBackup(backups), null);
  t.equal(newestBackup(join(folder, 'nowhere')), null);
  const files = { database: join(folder, 'world.db'), blobs: join(folder, 'blobs') };
  await using _world = await openNoteWorld({ file: files.database });
  const make = async (name: string, at: string): Promise<string> => {
    const { file } = await makeBackup({ files, world: 'acme/notes', to: join(backups, name) });
    using database = new DatabaseSync(file);
    database
      .prepare("UPDATE meta SET v = ? WHERE k = 'backup'")
      .run(JSON.stringify({ world: 'acme/notes', at }));
    return file;
  };
  await make('zebra.backup', '2026-01-01T00:00:00.000Z');
  const second = await make(backupName(Date.UTC(2026, 1, 1)), '2026-02-01T00:00:00.500Z');
  const first = await make(backupName(Date.UTC(2025, 1, 1)), '2025-02-01T00:00:00.000Z');
  t.equal(newestBackup(backups), second);
  t.strictSame(datedBackupsIn(backups), [second, first], 'newest first');
  const last = await make('before-release.backup', '2026-03-01T00:00:00.000Z');
  writeFileSync(join(backups, backupName(Date.UTC(2027, 1, 1))), 'half a file');
  t.equal(newestBackup(backups), last, 'and what is no backup brings nothing back');
  t.strictSame(noteOf(last), { world: 'acme/notes', at: '2026-03-01T00:00:00.000Z' });
});
