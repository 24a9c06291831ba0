// Contexts by host: minted once, bounded.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { loadAuthority } from '../../certs/authority.ts';
import { certificatesIn, systemRoots } from '../../certs/bundle.ts';
import { LeafCache } from '../../certs/cache.ts';
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
