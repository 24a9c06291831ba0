// What is a root, and what is none, each with what to write instead.
import t from 'tap';
import { parseRoot } from '../../../../control/world/roots/root-document.ts';

const defaults = { every: '15m', atMost: '1m' };
const read = (value: unknown, loopback = true) => parseRoot(value, { loopback, defaults });

t.test('[2.8] what is left out has the twin’s own values', async t => {
  t.strictSame(read({ url: 'https://api.stripe.com' }), {
    ok: true,
    root: { url: 'https://api.stripe.com', deploy: 'manual', refresh: defaults },
  });
  const whole = {
    url: 'https://api.stripe.com',
    deploy: 'never',
    refresh: { every: null, atMost: '90s' },
  } as const;
  t.strictSame(read(whole), { ok: true, root: whole });
});

t.test('[2.8] URLs that a root may have', async t => {
  for (const [written, url] of [
    ['https://api.stripe.com/', 'https://api.stripe.com'],
    ['https://API.stripe.com:8443/eu/v9', 'https://api.stripe.com:8443/eu/v9'],
    ['http://127.0.0.1:4000/acme/shop/stripe', 'http://127.0.0.1:4000/acme/shop/stripe'],
    ['http://[::1]:4000/acme/shop/stripe/', 'http://[::1]:4000/acme/shop/stripe'],
  ] as const)
    t.match(read({ url: written }), { ok: true, root: { url } }, written);
});

t.test('[2.8] URLs that it may not, and why', async t => {
  const no: readonly (readonly [url: unknown, why: RegExp])[] = [
    [undefined, /is a text/],
    [7, /is a text/],
    ['', /no plain URL/],
    ['api.stripe.com', /no plain URL/],
    ['ftp://api.stripe.com', /no plain URL/],
    ['http://api.stripe.com', /is not https/],
    ['https://10.0.0.1', /an address where a hostname belongs/],
    ['https://169.254.169.254', /an address where a hostname belongs/],
    ['https://2130706433', /an address where|on this machine/],
    ['https://0.0.0.0', /an address where a hostname belongs/],
    ['https://[::ffff:127.0.0.1]', /an address where a hostname belongs/],
    ['https://localhost:4000', /an address where a hostname belongs/],
    ['https://u:p@api.stripe.com', /no plain URL/],
    ['https://api.stripe.com?x=1', /no plain URL/],
    ['https://api.stripe.com#x', /no plain URL/],
    ['https://api.stripe.com/a/../b', /leads elsewhere/],
    ['https://api.stripe.com/a/./b', /leads elsewhere/],
    ['https://api.stripe.com\\@evil.test', /no plain URL/],
    ['https://api.stripe.com/a%2fb', /no plain URL/],
    ['https://*.stripe.com', /names no host|no plain URL/],
    [`https://api.stripe.com/${'a'.repeat(3000)}`, /at most 2048/],
  ];
  for (const [url, why] of no) {
    const result = read({ url });
    t.match(result, { ok: false, at: ['url'], message: why }, String(url).slice(0, 60));
    t.match(result, { message: /such as https:\/\/api\.stripe\.com/ }, 'and what to write');
  }
});

t.test('[2.8] this machine only where the host allows it', async t => {
  t.match(read({ url: 'http://127.0.0.1:4000' }, false), { ok: false, message: /does not reach/ });
  t.match(read({ url: 'https://127.0.0.1:4000' }, false), { ok: false });
  t.match(read({ url: 'https://api.stripe.com' }, false), { ok: true });
});

t.test('[2.8] deploy and refresh are of the values that they name', async t => {
  const url = 'https://api.stripe.com';
  for (const [root, at] of [
    [{ url, deploy: 'maybe' }, ['deploy']],
    [{ url, deploy: null }, ['deploy']],
    [{ url, refresh: null }, ['refresh']],
    [{ url, refresh: { every: '9s' } }, ['refresh', 'every']],
    [{ url, refresh: { every: '32d' } }, ['refresh', 'every']],
    [{ url, refresh: { every: '15 minutes' } }, ['refresh', 'every']],
    [{ url, refresh: { every: 900 } }, ['refresh', 'every']],
    [{ url, refresh: { atMost: null } }, ['refresh', 'atMost']],
    [{ url, refresh: { atMost: '32d' } }, ['refresh', 'atMost']],
    [{ url, refresh: { never: true } }, ['refresh', 'never']],
    [{ url, credential: 'sk_live_x' }, ['credential']],
    ['https://api.stripe.com', []],
    [[], []],
  ] as const)
    t.match(read(root), { ok: false, at }, JSON.stringify(root));
});
