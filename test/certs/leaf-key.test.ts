// The key of the leaves: one for an authority, however many ask and whenever.
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { LEAF_KEY_FILE, loadLeafKey, publicKeyHash } from '../../certs/leaf-key.ts';

const scratch = await mkdtemp(join(tmpdir(), 'wrld-leaf-key-'));
t.teardown(() => rm(scratch, { recursive: true, force: true }));
const folder = (): Promise<string> => mkdtemp(join(scratch, 'ca-'));

t.test('several who ask at once get the same key, and nothing else is left', async t => {
  const ca = await folder();
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadLeafKey(ca)));
  const hashes = new Set(keys.map(publicKeyHash));
  t.equal(hashes.size, 1);
  t.match([...hashes][0], /^[\w+/]{43}=$/);
  t.strictSame(await readdir(ca), [LEAF_KEY_FILE]);
  t.equal((await stat(join(ca, LEAF_KEY_FILE))).mode & 0o777, 0o600);
  t.ok(hashes.has(publicKeyHash(await loadLeafKey(ca))), 'and so does who asks later');
});

t.test('[bad-input CA key] a damaged one is told, with what to do', async t => {
  const ca = await folder();
  await writeFile(join(ca, LEAF_KEY_FILE), 'no key');
  await t.rejects(loadLeafKey(ca), { message: /leaf\.key is damaged; remove it/ });
});
