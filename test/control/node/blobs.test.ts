import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openBlobs } from '../../../control/node/blobs.ts';

const SHA = 'ab'.repeat(32);

t.test('[storage blobs] a file lies whole under its own name, open to this user alone', async t => {
  const folder = join(t.testdir(), 'blobs');
  const blobs = openBlobs(folder);
  t.notOk(existsSync(folder), 'there is no folder before there is a blob');
  blobs.put(SHA, Uint8Array.of(1, 2, 3));
  const file = join(folder, 'ab', SHA);
  t.equal(statSync(file).size, 3);
  t.equal(statSync(file).mode & 0o077, 0);
  t.equal(statSync(folder).mode & 0o077, 0);
  t.strictSame(readdirSync(join(folder, 'incoming')), []);
});

t.test('[storage blobs] what a crash cut off in the middle of writing is gone at the next start', async t => {
  const folder = t.testdir();
  openBlobs(folder).put(SHA, Uint8Array.of(1));
  mkdirSync(join(folder, 'incoming'), { recursive: true });
  writeFileSync(join(folder, 'incoming', 'cd'.repeat(32)), 'hal');
  const blobs = openBlobs(folder);
  t.strictSame(blobs.list(), [SHA]);
  t.notOk(existsSync(join(folder, 'incoming')));
});

t.test('[storage blobs] no name leads out of the folder', async t => {
  const blobs = openBlobs(t.testdir());
  for (const name of ['', '..', `../${SHA}`, SHA.slice(1), SHA.toUpperCase(), `${SHA}/`, `${SHA}\0`]) {
    t.throws(() => blobs.put(name, new Uint8Array()), TypeError);
    t.throws(() => blobs.get(name), TypeError);
    t.throws(() => blobs.remove(name), TypeError);
  }
});
