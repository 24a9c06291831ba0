import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { systemRoots } from '../../certs/bundle.ts';
import { keptSystemRoots } from '../../cli/system-roots.ts';
import { createTestAuthority } from '../kit/test-ca.ts';

const KEPT = { skip: process.platform === 'linux' ? false : 'kept on Linux alone' };

t.test('what is kept is what the system trusts', KEPT, async t => {
  const folder = join(t.testdir(), 'trust');
  const asked = await keptSystemRoots(folder, {});
  t.strictSame(asked, systemRoots());
  t.strictSame(await keptSystemRoots(folder, {}), asked);
  t.equal((await readdir(folder)).length, 1, 'once');
});

t.test(
  'the system is asked again when a file of roots is another, or what is kept is no file of them',
  KEPT,
  async t => {
    const folder = t.testdir();
    const own = join(folder, 'own.pem');
    const env = { SSL_CERT_FILE: own };
    const pem = (await createTestAuthority('somebody')).pem;
    await writeFile(own, pem);
    await keptSystemRoots(join(folder, 'trust'), env);
    await writeFile(own, `${pem}\n${pem}`);
    await keptSystemRoots(join(folder, 'trust'), env);
    const kept = await readdir(join(folder, 'trust'));
    t.equal(kept.length, 2);
    for (const file of kept) await writeFile(join(folder, 'trust', file), 'torn');
    t.strictSame(await keptSystemRoots(join(folder, 'trust'), env), systemRoots());
  },
);
