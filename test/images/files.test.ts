// Files that are read: what is none is refused before anything is read of it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openFiles } from '../../images/files.ts';

t.test('regular files in UTF-8 of a bounded size', t => {
  const folder = t.testdir({ plain: 'text', long: 'x'.repeat(101), sub: {} });
  const files = openFiles(folder);
  const read = (name: string) => files.read(join(folder, name), 100);
  writeFileSync(join(folder, 'odd'), Buffer.from([0xff, 0xfe]));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync('loop', join(folder, 'loop'));
  symlinkSync('/dev/zero', join(folder, 'zero'));
  mkdirSync(join(folder, 'sub', 'deeper'));
  t.strictSame(read('plain'), { ok: true, text: 'text' });
  for (const [name, missing, why] of [
    ['none', true, 'it is not there'],
    ['plain/none', true, 'it is not there'],
    ['long', false, 'it is longer than 100 bytes'],
    ['odd', false, 'it is no text in UTF-8'],
    ['pipe', false, 'it is no regular file'],
    ['zero', false, 'it is no regular file'],
    ['sub', false, 'it is no regular file'],
    ['loop', false, 'it cannot be read (ELOOP)'],
  ] as const)
    t.strictSame(read(name), { ok: false, missing, why }, name);
  t.match(files.read('/proc/self/status', 100), { ok: false, why: /longer than 100 bytes/ });
  t.end();
});

t.test('names are from where the command was given', t => {
  const files = openFiles('/a/b');
  t.equal(files.name('/a/b/c/d'), 'c/d');
  t.equal(files.name('/a/x'), '../x');
  t.equal(files.name('/etc/x'), '/etc/x');
  t.equal(files.isFolder('/'), true);
  t.equal(files.isFolder('/none'), false);
  t.end();
});
