import { randomBytes } from 'node:crypto';
import t from 'tap';
import { openSqlite } from '../../../../control/node/sqlite.ts';
import type { Sealer } from '../../../../control/ports/sealer.ts';
import { Secret } from '../../../../control/world/access/secret.ts';
import type { VendorCredential } from '../../../../control/world/seals/credential.ts';
import { envelopeSealer } from '../../../../control/world/seals/envelope.ts';
import { hostKey } from '../../../../control/world/seals/host-key.ts';
import { Seals } from '../../../../control/world/seals/seals.ts';
import { migrate } from '../../../../control/world/store/schema.ts';
import { standInSealer } from '../../../kit/stand-in-sealer.ts';

const ORIGIN = 'https://api.stripe.com';
const credential = (key: string): VendorCredential => ({
  shown: { as: 'key', key: new Secret(key) },
  signingSecret: null,
});
const newHostKey = () => {
  const key = new Uint8Array(randomBytes(32));
  return hostKey(async () => key);
};

const opened = (sealer: Sealer, world = 'acme/shop', sql = openSqlite(':memory:')) => {
  migrate(sql);
  t.teardown(() => sql[Symbol.dispose]());
  const said: string[] = [];
  const say = (fields: object, message: string): void => void said.push(JSON.stringify(fields) + message);
  const processLog = { debug: say, info: say, warn: say, error: say };
  let now = 0;
  const wall = { now: () => ++now };
  return { seals: new Seals({ world, sql, sealer, wall, processLog }), sql, said };
};
const keyOf = async (seals: Seals, vendor: string): Promise<string | null> => {
  const found = await seals.open(vendor, ORIGIN);
  return found.ok && found.credential.shown.as === 'key' ? found.credential.shown.key.reveal() : null;
};

t.test('[4.6] each of the five that a rewrap leaves is named, and stays as it was', async t => {
  const host = newHostKey();
  const vault = standInSealer([host]);
  const { seals, sql } = opened(vault.sealer);
  for (const vendor of ['a', 'b', 'c', 'd', 'e', 'f']) await seals.put(vendor, credential(vendor), ORIGIN);
  const byHost = await envelopeSealer(host).seal(new Uint8Array(1), { origin: ORIGIN, reference: 'x' });
  if (!byHost.ok) throw new Error('not sealed');
  sql.run("UPDATE seal SET sealed_by = 'key', wrapped = ? WHERE ref = 'a'", byHost.sealed.wrapped);
  sql.run("UPDATE seal SET wrapped = 'nothing that reads' WHERE ref = 'b'");
  const before = sql.all("SELECT * FROM seal WHERE ref IN ('a', 'b') ORDER BY ref");
  vault.rotate();
  // While the fourth is wrapped again, somebody sets it anew.
  const wrapping: Sealer = {
    ...vault.sealer,
    rewrap: async sealed => {
      const row = sql.get<{ ref: string }>('SELECT ref FROM seal WHERE wrapped = ?', sealed.wrapped);
      if (row?.ref === 'c') return { ok: false, why: 'other-key' };
      if (row?.ref === 'e') return { ok: false, why: 'no-version' };
      if (row?.ref === 'd') await seals.put('d', credential('set anew'), ORIGIN);
      return await vault.sealer.rewrap(sealed);
    },
  };
  const racing = new Seals({
    world: 'acme/shop',
    sql,
    sealer: wrapping,
    wall: { now: () => 0 },
    processLog: { debug() {}, info() {}, warn() {}, error() {} },
  });
  t.strictSame(await racing.rewrap(), {
    ok: true,
    rewrapped: 1,
    current: 0,
    left: [
      { vendor: 'a', why: 'host-key' },
      { vendor: 'b', why: 'unreadable' },
      { vendor: 'c', why: 'other-key' },
      { vendor: 'd', why: 'sealed-again' },
      { vendor: 'e', why: 'no-version' },
    ],
  });
  t.strictSame(sql.all("SELECT * FROM seal WHERE ref IN ('a', 'b') ORDER BY ref"), before);
  t.equal(await keyOf(seals, 'd'), 'set anew', '[security 56] what was set meanwhile is what is there');
  t.equal(await keyOf(seals, 'f'), 'f');
});

t.test('[4.11-3] what the host’s key sealed is sealed by the vault the first time it opens', async t => {
  const host = newHostKey();
  const early = opened(envelopeSealer(host));
  await early.seals.put('stripe', credential('sk_1'), ORIGIN);
  t.match(early.seals.state('stripe'), { sealedBy: 'key' });
  const { sealer, setAway } = standInSealer([host]);
  const { seals, said } = opened(sealer, 'acme/shop', early.sql);
  setAway(true);
  t.equal(await keyOf(seals, 'stripe'), 'sk_1', 'it opens while the vault is away');
  t.match(seals.state('stripe'), { sealedBy: 'key' });
  setAway(false);
  t.equal(await keyOf(seals, 'stripe'), 'sk_1');
  t.match(seals.state('stripe'), { sealedBy: 'vault', boundTo: ORIGIN });
  t.equal(await keyOf(opened(standInSealer().sealer, 'acme/shop', early.sql).seals, 'stripe'), null);
  t.equal(await keyOf(seals, 'stripe'), 'sk_1', 'and the vault opens it');
  t.notMatch(said.join(), /sk_1/);
});

t.test('[security 53] a record opens in no other world, for no other vendor and no other origin', async t => {
  const { sealer } = standInSealer();
  const { seals, sql } = opened(sealer);
  await seals.put('stripe', credential('sk_1'), ORIGIN);
  t.equal(await keyOf(opened(sealer, 'acme/other', sql).seals, 'stripe'), null);
  t.match(await seals.open('stripe', 'https://api.stripe.com.evil.test'), { ok: false, why: 'other-origin' });
  sql.run("UPDATE seal SET ref = 'github'");
  t.match(await seals.open('github', ORIGIN), { ok: false, why: 'unreadable' });
  sql.run("UPDATE seal SET ref = 'stripe', bound_to = 'https://evil.test'");
  t.match(await seals.open('stripe', 'https://evil.test'), { ok: false, why: 'unreadable' });
});
