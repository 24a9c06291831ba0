// The copy of the network policy that a run gets (7.2 `policy-unreadable`), as attach/ reads it.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { readOwnLoopback, writeNetworkPolicy } from '../../cli/network-policy.ts';

const folder = await mkdtemp(join(tmpdir(), 'wrld policy '));
t.teardown(() => rm(folder, { recursive: true }));
const COPY = { world: 'http://127.0.0.1:4000/acme/shop', ownLoopback: true, reachable: ['127.0.0.1:4000'] };

t.test('runs that are told the same share a file, which only its owner reads', async t => {
  const at = join(folder, 'policies');
  const files = await Promise.all([writeNetworkPolicy(at, COPY), writeNetworkPolicy(at, COPY)]);
  t.equal(files[0], files[1]);
  t.strictSame(JSON.parse(await readFile(files[0]!, 'utf8')), {
    kind: 'wrld-world-network-policy',
    version: 1,
    ...COPY,
  });
  t.equal((await stat(files[0]!)).mode & 0o777, 0o600);
  t.not(await writeNetworkPolicy(at, { ...COPY, ownLoopback: false }), files[0]);
  t.equal((await readdir(at)).length, 2, 'and nothing half written');
});

t.test('[7.2 own-loopback-ungranted] whoever denies it, this world or one above, denies it', async t => {
  const config = async (name: string, text: object): Promise<string> => {
    const home = join(folder, name, '.wrld');
    await mkdir(home, { recursive: true });
    const file = join(home, 'world.json');
    await writeFile(file, JSON.stringify({ services: {}, ...text }));
    return file;
  };
  const network = (ownLoopback: boolean) => ({ runtime: { network: { ownLoopback } } });
  t.equal(await readOwnLoopback(await config('open', { name: 'acme/open' })), true);
  const denying = await config('denying', { name: 'acme/denying', ...network(false) });
  t.equal(await readOwnLoopback(denying), false);
  const below = await config('below', { name: 'acme/below', parent: '../denying', ...network(true) });
  t.equal(await readOwnLoopback(below), false);
  t.equal(await readOwnLoopback(join(folder, 'nothing.json')), null, 'nobody can say');
  t.equal(await readOwnLoopback(undefined), null);
});
