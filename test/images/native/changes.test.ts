// What a program changed, changed in another folder too: new, replaced, removed, made anew; and nothing that another folder has.
import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { saveChanges } from '../../../images/native/changes.ts';

function listed(folder: string): readonly string[] {
  const text = execFileSync('find', ['.', '-mindepth', '1', '-printf', '%P %y %m %l\n'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return text
    .split('\n')
    .filter(Boolean)
    .map(each => each.trimEnd())
    .sort();
}

t.test('each change, and no other', t => {
  const folder = t.testdir({
    // As the program saw it, with what was there before.
    merged: { a: { kept: '', new: '', made: { own: '' } }, etc: { hosts: '' }, l: '' },
    upper: { a: { new: 'new', old: 'changed', made: { own: 'own' } }, etc: { hosts: 'the run’s' }, dev: {} },
    into: { a: { kept: 'kept', old: 'old', gone: 'x', made: { before: 'x' } }, l: 'l', away: { x: 'x' } },
  });
  const at = (...names: string[]): string => join(folder, ...names);
  writeFileSync(at('merged/a/old'), '');
  writeFileSync(at('upper/a/new'), 'new', { mode: 0o755 });
  execFileSync('chmod', ['755', at('upper/a/new')]);
  utimesSync(at('upper/a/new'), 1_700_000_000, 1_700_000_000);
  symlinkSync('/nowhere', at('upper/link'));
  symlinkSync('/nowhere', at('merged/link'));
  linkSync(at('into/a/old'), at('other'));
  execFileSync('mkfifo', [at('upper/pipe'), at('merged/pipe')]);
  const before = new Set(['/dev', '/etc', '/a', '/l']);
  saveChanges(
    { upper: at('upper'), merged: at('merged'), into: at('into'), at: '/' },
    { isNew: path => !before.has(path), apart: ['/etc/hosts', '/dev'] },
  );
  t.strictSame(listed(at('into')), [
    'a d 755',
    'a/kept f 644',
    'a/made d 755',
    'a/made/own f 644',
    'a/new f 755',
    'a/old f 644',
    'l f 644',
    'link l 777 /nowhere',
  ]);
  t.equal(readFileSync(at('into/a/old'), 'utf8'), 'changed');
  t.equal(readFileSync(at('other'), 'utf8'), 'old', 'its other name has what it had');
  t.equal(statSync(at('into/a/new')).mtimeMs, 1_700_000_000_000);
  t.end();
});
