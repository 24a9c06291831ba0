import { randomBytes } from 'node:crypto';
import t from 'tap';
import { sealingOfEnvironment } from '../../../../control/node/environment.ts';
import { openSealers } from '../../../../control/node/sealers.ts';
import { Secret } from '../../../../control/world/access/secret.ts';
import { envelopeSealer } from '../../../../control/world/seals/envelope.ts';
import { type VaultOptions, vaultKey, vaultKeyOf } from '../../../../control/world/seals/vault-key.ts';
import { SEALER_CONTRACT } from '../../../contract/sealer.ts';
import { runContract } from '../../../kit/run-contract.ts';
import { openStandInVault, type StandInVault } from '../../../kit/stand-in-vault.ts';

const said: string[] = [];
const say = (fields: object, message: string): void => void said.push(`${JSON.stringify(fields)} ${message}`);
const log = { debug: say, info: say, warn: say, error: say };
const FOR = { origin: 'https://api.stripe.com', reference: 'acme/shop/stripe' };
const SECRET = 'sk_live_of_nobody';
const PLAIN = new TextEncoder().encode(SECRET);

const vault = await openStandInVault();
t.teardown(() => vault[Symbol.asyncDispose]());
vault.key('transit/wrld-fingerprint');
const optionsOf = (of: StandInVault, more: Partial<VaultOptions> = {}): VaultOptions => ({
  address: of.address,
  token: new Secret(of.token),
  key: vaultKeyOf('wrld', 'acme'),
  fingerprintKey: 'wrld-fingerprint',
  mount: 'transit',
  namespace: null,
  fetch,
  log,
  ...more,
});
const sealerOf = (more: Partial<VaultOptions> = {}) => envelopeSealer(vaultKey(optionsOf(vault, more)));
const sealedBy = async (sealer = sealerOf()) => {
  const result = await sealer.seal(PLAIN, FOR);
  if (!result.ok) throw new Error(result.why);
  return result.sealed;
};

runContract(t, SEALER_CONTRACT, () => ({
  sealer: sealerOf(),
  stranger: sealerOf({ key: 'wrld-org-beta' }),
  rotate: () => vault.rotate('transit/wrld-org-acme'),
  setAway: away => {
    vault.failing = away ? 503 : null;
  },
}));

// A real one, where the machine has one: a token that may use the transit engine and rotate its keys.
const real = process.env['VAULT_ADDR'];
const realToken = process.env['VAULT_TOKEN'];
t.test(
  '[4.11-2] the contract against a real vault',
  {
    skip: real === undefined || realToken === undefined ? 'VAULT_ADDR and VAULT_TOKEN name none' : false,
  },
  async t => {
    const post = (path: string, body = {}) =>
      fetch(`${real}/v1/${path}`, {
        method: 'POST',
        headers: { 'x-vault-token': realToken! },
        body: JSON.stringify(body),
      });
    const name = `wrld-test-${randomBytes(4).toString('hex')}`;
    for (const key of [name, `${name}-other`, `${name}-fingerprint`]) await post(`transit/keys/${key}`);
    const more = { address: real!, token: new Secret(realToken!), fingerprintKey: `${name}-fingerprint` };
    runContract(t, SEALER_CONTRACT, () => ({
      sealer: sealerOf({ ...more, key: name }),
      stranger: sealerOf({ ...more, key: `${name}-other` }),
      rotate: async () => void (await post(`transit/keys/${name}/rotate`)),
      setAway: null,
    }));
  },
);

t.test('[4.11-2] the vault sees data keys, never a credential; nobody else sees its token', async t => {
  vault.asked.length = 0;
  said.length = 0;
  const sealer = sealerOf();
  const sealed = await sealedBy(sealer);
  await sealer.open(sealed, FOR);
  await sealer.rewrap(sealed);
  const seen = vault.asked.map(({ path, body }) => path + body).join('\n');
  t.match(seen, /\/v1\/transit\/encrypt\/wrld-org-acme/);
  for (const none of [SECRET, Buffer.from(SECRET).toString('base64'), vault.token]) t.notMatch(seen, none);
  t.ok(vault.asked.every(({ headers }) => headers.includes(vault.token)));
  t.notMatch(JSON.stringify(sealed) + JSON.stringify(optionsOf(vault)) + said.join(), vault.token);
});

t.test('[4.6] what a rewrap leaves, and why', async t => {
  const sealer = sealerOf();
  const sealed = await sealedBy(sealer);
  const [mark] = sealed.wrapped.split(':');
  const wrapped = (text: string) => sealer.rewrap({ ...sealed, wrapped: text });
  t.match(await sealer.rewrap({ ...sealed, by: 'key' }), { ok: false, why: 'host-key' });
  t.match(await wrapped(sealed.wrapped.replace(mark!, 'AAAA')), { ok: false, why: 'other-key' });
  for (const version of ['vault:vX:abc', 'vault:abc', 'vault:v0:abc', 'nothing'])
    t.match(await wrapped(`${mark}:${version}`), { ok: false, why: 'no-version' }, version);
  t.match(await wrapped(`${mark}:vault:v1:AAAA`), { ok: false, why: 'unreadable' });
  t.match(await wrapped(''), { ok: false, why: 'unreadable' });
  vault.rotate('transit/wrld-org-acme');
  vault.key('transit/wrld-org-acme').minDecryptionVersion =
    vault.key('transit/wrld-org-acme').versions.length;
  t.match(await sealer.rewrap(sealed), { ok: false, why: 'unreadable' }, 'its version is too old');
  t.match(await sealer.open(sealed, FOR), { ok: false, why: 'unreadable' });
  vault.key('transit/wrld-org-acme').minDecryptionVersion = 1;
  t.equal((await sealer.open(sealed, FOR)).ok, true);
  await using another = await openStandInVault();
  another.key('transit/wrld-fingerprint');
  const elsewhere = envelopeSealer(vaultKey(optionsOf(another)));
  t.match(
    await elsewhere.rewrap(sealed),
    { ok: false, why: 'other-key' },
    'another vault with a key of that name',
  );
});

t.test('[4.11-2] namespaces, mounts and organisations are apart', async t => {
  vault.key('team/other/transit/wrld-fingerprint');
  const there = sealerOf({ namespace: 'team', mount: 'other/transit' });
  const sealed = await sealedBy(there);
  t.equal((await there.open(sealed, FOR)).ok, true);
  t.match(await sealerOf().open(sealed, FOR), { ok: false, why: 'unreadable' });
  t.match(await sealerOf({ key: 'wrld-org-beta' }).open(await sealedBy(), FOR), {
    ok: false,
    why: 'unreadable',
  });
});

t.test(
  '[4.11-2] a vault that refuses, is sealed, is not there or talks nonsense is away; the log says what to look at',
  async t => {
    const record = await sealedBy();
    const away = { ok: false, why: 'away' };
    const tries: readonly (readonly [
      why: string,
      sealer: ReturnType<typeof sealerOf>,
      status: number | null,
      log: RegExp,
    ])[] = [
      ['another token', sealerOf({ token: new Secret('hvs.no') }), null, /refuses the token/],
      ['no such mount', sealerOf({ mount: 'elsewhere' }), null, /VAULT_TRANSIT_MOUNT/],
      ['sealed', sealerOf(), 503, /is sealed/],
      ['a redirect', sealerOf(), 307, /does not do what it is asked/],
      ['an error', sealerOf(), 500, /does not do what it is asked/],
      ['nobody', sealerOf({ address: 'http://127.0.0.1:1' }), null, /does not answer/],
    ];
    for (const [why, sealer, status, words] of tries) {
      vault.failing = status;
      said.length = 0;
      t.strictSame(await sealer.open(record, FOR), away, why);
      t.strictSame(await sealer.seal(PLAIN, FOR), away, why);
      t.strictSame(await sealer.rewrap(record), away, why);
      t.match(said.join('\n'), words);
      t.notMatch(said.join('\n'), /hvs\.|sk_live/);
    }
    vault.failing = null;
    said.length = 0;
    t.strictSame(await sealerOf({ fingerprintKey: 'not-made' }).seal(PLAIN, FOR), away);
    t.match(said.join('\n'), /vault write -f/, 'the key for fingerprints has to be made once');
  },
);

t.test('[4.11-2] the environment says which; what it says wrong is refused without being shown', async t => {
  const key = randomBytes(32).toString('base64');
  const given = { VAULT_ADDR: `${vault.address}/`, VAULT_TOKEN: vault.token, VAULT_TRANSIT_KEY: 'wrld' };
  t.match(sealingOfEnvironment({}), { hostKey: null, vault: null });
  t.match(
    sealingOfEnvironment({ VAULT_ADDR: vault.address, VAULT_TOKEN: 'x' }),
    { vault: null },
    'a vault of the app’s',
  );
  t.match(sealingOfEnvironment({ ...given, SEALING_KEY: key }), {
    hostKey: new Uint8Array(Buffer.from(key, 'base64')),
    vault: { address: vault.address, fingerprintKey: 'wrld-fingerprint', mount: 'transit', namespace: null },
  });
  for (const wrong of [
    { SEALING_KEY: 'short secret' },
    { ...given, VAULT_ADDR: 'vault.example secret' },
    { ...given, VAULT_TOKEN: '' },
    { ...given, VAULT_TRANSIT_MOUNT: '../secret' },
    { ...given, VAULT_TRANSIT_KEY: 'a secret' },
  ])
    t.throws(() => sealingOfEnvironment(wrong), { code: 'sealing-unusable', message: /^(?!.*secret)/ });
  // By the vault for each organisation; what the host's key sealed opens beside it.
  const sealers = openSealers(sealingOfEnvironment({ ...given, SEALING_KEY: key }), '/nowhere', log);
  const early = openSealers(sealingOfEnvironment({ SEALING_KEY: key }), '/nowhere', log)('acme/shop');
  const byKey = await sealedBy(early);
  t.match(await sealers('acme/shop').open(byKey, FOR), { ok: true, stale: true });
  const byVault = await sealedBy(sealers('acme/shop'));
  t.equal(byVault.by, 'vault');
  t.match(await sealers('beta/shop').open(byVault, FOR), { ok: false, why: 'unreadable' });
});
