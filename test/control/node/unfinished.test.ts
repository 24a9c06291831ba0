import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { removeUnfinished, unfinishedName } from '../../../control/node/unfinished.ts';

/** The number of a process that is no more. */
const gone = spawnSync(process.execPath, ['-e', '']).pid;

t.test('what a process that was killed was writing goes; nothing else does', async t => {
  const left = unfinishedName('status.json').replace(`.${process.pid}.`, `.${gone}.`);
  const folder = t.testdir({
    'status.json': '{}',
    [left]: '{"half',
    // Another process is writing it this moment.
    [unfinishedName('token')]: 'tok_w_',
    // Files of a user's that are named much like it.
    [`notes.${gone}.txt`]: '',
    [`${gone}`]: '',
  });
  await removeUnfinished([join(folder, 'is-not-there'), folder]);
  const names = readdirSync(folder);
  t.notOk(names.includes(left));
  t.equal(names.length, 4);
});
