import { mkdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { asControlError, ControlError } from '../../../control/node/control-error.ts';
import { systemFault } from '../../../control/node/system-fault.ts';

const thrown = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const of = (fields: object): Error => Object.assign(new Error('told by the system'), fields);

t.test('what the machine refuses is told with its place and what to do', t => {
  const rows: readonly (readonly [string, unknown, string])[] = [
    ['a full disk', of({ code: 'ENOSPC', path: '/w/a' }), '/w/a: the disk is full; make room on it (ENOSPC)'],
    ['the new name of a file', of({ code: 'EACCES', path: '/w/a', dest: '/w/b' }), '/w/b: this user may not'],
    ['an error without a place', of({ code: 'EROFS' }), '/home: the disk is mounted read-only'],
    ['SQLite’s extended codes', of({ code: 'ERR_SQLITE_ERROR', errcode: 13 | (3 << 8) }), 'the disk is full'],
    ['a file in the way', thrown(() => mkdirSync('/dev/null/a')), 'a file is where a folder has to be'],
    [
      'no folder can be made',
      of({ code: 'ENOENT', syscall: 'mkdir', path: '/r' }),
      '/r: the folder cannot be made',
    ],
  ];
  for (const [name, error, words] of rows) t.match(systemFault(error, '/home'), words, name);
  t.end();
});

t.test('a bug is none of it', t => {
  for (const error of [
    new TypeError('x'),
    'text',
    of({ code: 'ERR_INVALID_ARG_TYPE' }),
    of({ code: 'toString' }),
  ])
    t.equal(systemFault(error), null);
  t.equal(systemFault(thrown(() => readFileSync('/no/such/file'))), null, 'nor what is missing');
  const bug = new TypeError('x');
  t.equal(asControlError(bug, '/home'), bug);
  const known = new ControlError('store-unusable', 'damaged');
  t.equal(asControlError(known, '/home'), known);
  t.end();
});

t.test('what fails on the way out does not hide what failed first', t => {
  const first = of({ code: 'ENOSPC', path: '/w/a' });
  const both = new SuppressedError(new Error('closing'), first);
  t.match(asControlError(both, '/home'), { code: 'machine-refuses', message: /^\/w\/a: the disk is full/ });
  t.end();
});
