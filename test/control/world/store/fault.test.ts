// What counts as a failure of the store and not of who used it, and in which words it is told.
import t from 'tap';
import { describeFault, diskFault, isStoreFailure } from '../../../../control/world/store/fault.ts';
import { StoreError } from '../../../../control/world/store/schema.ts';

const sqlite = (errcode: number): Error => Object.assign(new Error('x'), { errcode });
const system = (code: string, syscall: string): Error => Object.assign(new Error('x'), { code, syscall });

t.test('what the store could not do now, by SQLite’s and the system’s codes', t => {
  const rows: readonly (readonly [what: string, error: unknown, words: RegExp | null])[] = [
    ['full', sqlite(13), /full; make room/],
    ['an input or output error of some kind', sqlite(10 | (3 << 8)), /full or read-only, or fails/],
    ['read-only, in recovery', sqlite(8 | (1 << 8)), /may not be written/],
    ['not to be opened', sqlite(14), /cannot be opened .*ulimit -n/],
    ['busy', sqlite(5), null],
    ['no room for a file', system('ENOSPC', 'write'), /full; make room/],
    ['a read-only disk', system('EROFS', 'open'), /mounted read-only/],
    ['no folder can be made', system('ENOENT', 'mkdir'), /no folder can be made/],
    ['no descriptors', system('EMFILE', 'open'), /no file descriptors left/],
  ];
  for (const [what, error, words] of rows) {
    t.equal(isStoreFailure(error), true, what);
    if (words === null) t.equal(diskFault(error), null, what);
    else t.match(diskFault(error), words, what);
  }
  t.equal(isStoreFailure(new StoreError('damaged', 'x')), true);
  t.end();
});

t.test('a bug is none', t => {
  const rows: readonly unknown[] = [
    sqlite(19),
    sqlite(1),
    sqlite(19 | (5 << 8)),
    system('ENOENT', 'open'),
    system('toString', 'open'),
    Object.assign(new Error('x'), { errcode: '13' }),
    new Error('the disk is full'),
    'x',
    null,
    undefined,
  ];
  for (const error of rows) {
    t.equal(isStoreFailure(error), false, String(error));
    t.equal(diskFault(error), null);
  }
  t.end();
});

t.test('[security 52] a fault is told by its class and its place, and quotes nothing', t => {
  const { name, at } = describeFault(new TypeError('tok_w_secret'));
  t.equal(name, 'TypeError');
  t.ok(at.length > 0 && at.length <= 6 && at.every(line => line.startsWith('at ')));
  t.notMatch(JSON.stringify(at), /secret/);
  t.strictSame(describeFault('tok_w_secret'), { name: 'string', at: [] });
  t.end();
});
