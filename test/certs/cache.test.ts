// Contexts by host: minted once, bounded.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, TLSSocket } from 'node:tls';
import t from 'tap';
import { loadAuthority } from '../../certs/authority.ts';
import { certificatesIn, systemRoots } from '../../certs/bundle.ts';
import { LeafCache, TICKET_KEY_BYTES } from '../../certs/cache.ts';
import { LEAF_CONTEXT_MS_MAX, LEAF_CONTEXTS_MAX, LEAF_DAYS } from '../../certs/limits.ts';

const folder = await mkdtemp(join(tmpdir(), 'wrld-cache-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const loaded = await loadAuthority(join(folder, 'ca'));
if (!loaded.ok) throw new Error(loaded.why);
const { authority } = loaded;

t.test('however often a host is asked for, its context is one', async t => {
  const cache = new LeafCache(authority);
  const contexts = await Promise.all(
    Array.from({ length: 20 }, async () => cache.contextFor('api.stripe.com')),
  );
  t.equal(new Set(contexts).size, 1);
  t.not(cache.contextFor('api.github.com'), contexts[0]);
  t.equal(cache.size, 2);
});

t.test('[bad-input 10,000 SNIs] what is held is bounded, and what was used last is kept', async t => {
  const cache = new LeafCache(authority);
  const kept = cache.contextFor('kept.test');
  const first = cache.contextFor('first.test');
  for (let n = 0; n < LEAF_CONTEXTS_MAX + 10; n++) {
    cache.contextFor(`h${n}.test`);
    if (n % 500 === 0) t.equal(cache.contextFor('kept.test'), kept);
  }
  t.equal(cache.size, LEAF_CONTEXTS_MAX);
  t.equal(cache.contextFor('kept.test'), kept);
  t.not(cache.contextFor('first.test'), first);
});

t.test('what is held is known without minting it', async t => {
  const cache = new LeafCache(authority);
  t.equal(cache.has('api.stripe.com'), false);
  t.equal(cache.size, 0);
  cache.contextFor('api.stripe.com');
  t.equal(cache.has('api.stripe.com'), true);
});

/** What a handshake with a cache's context came to. */
async function shake(cache: LeafCache, options: ConnectionOptions) {
  // As the proxy ends TLS.
  const server = createServer(socket => {
    const tls = new TLSSocket(socket, { isServer: true, secureContext: cache.contextFor('a.test') });
    tls.once('secure', () => tls.end('hello'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ca = authority.certificatePem;
  const client = connect({ port, host: '127.0.0.1', servername: 'a.test', ca, ...options });
  let session: Buffer | undefined;
  client.on('session', given => (session = given)).resume();
  await once(client, 'secureConnect');
  const reused = client.isSessionReused();
  const cipher = client.getCipher().name;
  await once(client, 'close');
  server.close();
  return { session, reused, cipher };
}

t.test('the cipher is the cheapest that both have, whatever the client would rather have', async t => {
  const ciphers = 'TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256';
  t.equal((await shake(new LeafCache(authority), { ciphers })).cipher, 'TLS_AES_128_GCM_SHA256');
});

t.test('a session is resumed by whoever has the same ticket keys, and nobody else', async t => {
  const keys = randomBytes(TICKET_KEY_BYTES);
  const { session } = await shake(new LeafCache(authority, keys), {});
  t.ok(session);
  t.equal((await shake(new LeafCache(authority, keys), { session })).reused, true);
  t.equal((await shake(new LeafCache(authority), { session })).reused, false);
});

t.test('a context goes long before its leaf expires', async t => {
  t.ok(LEAF_CONTEXT_MS_MAX < (LEAF_DAYS - 7) * 86_400_000);
});

t.test('bundles: every certificate of a text, and the roots that the machine trusts', async t => {
  const text = `# a comment\n${authority.certificatePem}between\r\n${authority.certificatePem}`;
  t.strictSame(certificatesIn(text), [authority.certificatePem.trim(), authority.certificatePem.trim()]);
  t.strictSame(certificatesIn('nothing'), []);
  const roots = systemRoots();
  t.ok(roots.length > 50);
  t.equal(new Set(roots).size, roots.length, 'each once');
});
