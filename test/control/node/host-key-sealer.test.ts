import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { openHostKey } from '../../../control/node/host-key-sealer.ts';
import { envelopeSealer } from '../../../control/world/seals/envelope.ts';
import { SEALER_CONTRACT } from '../../contract/sealer.ts';
import { runContract } from '../../kit/run-contract.ts';

const folder = await mkdtemp(join(tmpdir(), 'wrld-seal-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const said: string[] = [];
const say = (_fields: object, message: string): void => void said.push(message);
const log = { debug: say, info: say, warn: say, error: say };
let files = 0;
const fresh = (): string => join(folder, `seal-${++files}.key`);
const opened = (file: string) => envelopeSealer(openHostKey(null, file, log));
const given = () => envelopeSealer(openHostKey(new Uint8Array(randomBytes(32)), fresh(), log));

const FOR = { origin: 'https://api.stripe.com', reference: 'acme/shop/stripe' };
const SECRET = new TextEncoder().encode('sk_live_1');

runContract(t, SEALER_CONTRACT, () => ({
  sealer: given(),
  stranger: given(),
  rotate: null,
  setAway: null,
}));
runContract(t, SEALER_CONTRACT, () => ({
  sealer: opened(fresh()),
  stranger: opened(fresh()),
  rotate: null,
  setAway: null,
}));

t.test(
  '[4.11-2] the key of a world’s folder is made once, for this user alone, and whole when it is there',
  async t => {
    const file = fresh();
    const sealed = await Promise.all(Array.from({ length: 16 }, () => opened(file).seal(SECRET, FOR)));
    t.equal((await stat(file)).mode & 0o777, 0o600);
    t.equal(Buffer.from(await readFile(file, 'utf8'), 'base64').length, 32);
    const later = opened(file);
    for (const each of sealed) {
      const open = each.ok && (await later.open(each.sealed, FOR));
      t.equal((open || null)?.ok, true, 'whoever made it, all have the same');
    }
    t.strictSame(
      (await readdir(folder)).filter(name => name.endsWith('.new')),
      [],
    );
  },
);

t.test(
  '[4.11-2] a key that others could read is closed to them; one that is damaged seals nothing',
  async t => {
    const file = fresh();
    await writeFile(file, `${randomBytes(32).toString('base64')}\n`);
    await chmod(file, 0o644);
    t.ok((await opened(file).seal(SECRET, FOR)).ok);
    t.equal((await stat(file)).mode & 0o777, 0o600);
    const damaged = fresh();
    await writeFile(damaged, 'half of a key', { mode: 0o600 });
    said.length = 0;
    const sealer = opened(damaged);
    t.strictSame(await sealer.seal(SECRET, FOR), { ok: false, why: 'away' });
    t.match(said.join('\n'), /holds no key of 32 bytes/);
    t.notMatch(said.join('\n'), /half of a key/, 'what is in it is not shown');
    await writeFile(damaged, randomBytes(32).toString('hex'));
    t.ok((await sealer.seal(SECRET, FOR)).ok, 'and does as soon as it is mended');
  },
);

t.test(
  '[2.9] git is told to leave the key alone, also in a world that was made before there was one',
  async t => {
    const home = join(folder, 'older');
    await mkdir(home);
    await writeFile(join(home, '.gitignore'), 'token');
    const file = join(home, 'seal.key');
    await opened(file).seal(SECRET, FOR);
    t.equal(await readFile(join(home, '.gitignore'), 'utf8'), 'token\nseal.key\n');
    await rm(file);
    await opened(file).seal(SECRET, FOR);
    t.equal(await readFile(join(home, '.gitignore'), 'utf8'), 'token\nseal.key\n', 'once');
  },
);
