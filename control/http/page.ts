// The page at the world's URL: says what listens here and where to look, to whoever opens it in a browser.
// It tells nothing that a token guards.

import { formatAuthority, parseAuthority } from '../../policy/authority.ts';
import type { World } from '../world/world.ts';
import { escapeText, page } from './answer.ts';
import type { Route, Visit } from './route.ts';

const SUMMARY = 'a page that names the world and links its endpoints';
const PAGE = { 200: { description: 'a page', type: 'text/html' } } as const;

export const pages: readonly Route[] = [
  {
    method: 'GET',
    path: '/',
    access: 'open',
    tag: 'World',
    summary: SUMMARY,
    answers: PAGE,
    run: (_call, world, visit) => (isNamedHere(visit) ? worldPage(world, visit) : HOST_PAGE),
  },
  {
    method: 'GET',
    path: '/<org>/<world>',
    access: 'open',
    tag: 'World',
    summary: SUMMARY,
    answers: PAGE,
    run: (_call, world, visit) => worldPage(world, visit),
  },
  {
    method: 'GET',
    path: '/<org>/<world>/',
    access: 'open',
    tag: 'World',
    summary: SUMMARY,
    answers: PAGE,
    run: (_call, world, visit) => worldPage(world, visit),
  },
];

/**
 * Whether the host that is asked for is this machine, or where the world listens. Behind any other name may be a page
 * that had it lead here (rebinding), or whoever looks over the host: neither is told what is served.
 */
function isNamedHere({ around, head }: Visit): boolean {
  const { host } = head.headers;
  if (typeof host !== 'string') return false;
  const named = parseAuthority(host, 80);
  return (
    named.ok &&
    (named.class === 'loopback' || formatAuthority(named, 'http') === new URL(around.baseUrl).host)
  );
}

const HOST_PAGE: ReturnType<typeof page> = page(
  'wrld',
  `<h1>wrld</h1>
<p>Worlds are served here, each at its own URL: <code>/&lt;org&gt;/&lt;world&gt;</code>.</p>
<p><a href="/reference/refusals">Every refusal, and its fix</a></p>`,
);

function worldPage(world: World, { around }: Visit): ReturnType<typeof page> {
  const own = `/-/${world.name}`;
  const endpoints: readonly (readonly [path: string, what: string])[] = [
    [`/${world.name}/.well-known/wrld-world`, 'the world’s manifest: twins, authority, proxy, variables'],
    [`${own}/timeline`, 'what happened, newest first'],
    [`${own}/map`, 'what is in each twin'],
    [`${own}/twins`, 'the twins and their status'],
    [`${own}/clock`, 'the instant every twin stamps from'],
    [`${own}/refusals`, 'what was refused lately'],
  ];
  const proxy = around.proxyUrl();
  const rows = endpoints.map(
    ([path, what]) =>
      `<dt><a href="${escapeText(path)}"><code>${escapeText(path)}</code></a></dt><dd>${what}</dd>`,
  );
  return page(
    world.name,
    `<h1>${escapeText(world.name)}</h1>
<p>A wrld world. Run a command in it with <code>wrld world run -- &lt;command&gt;</code>${
      proxy === null ? '' : `, or point an app at its proxy, <code>${escapeText(withoutUser(proxy))}</code>`
    }.</p>
<p><a href="${escapeText(around.ownOrigin ?? '')}${escapeText(own)}/">Look into it</a>: twins, live timeline, clock, requests, refusals, branches, keys.</p>
<p>These answer JSON to a request that carries one of the tokens in <code>.wrld/token</code> (header <code>x-wrld-token</code>):</p>
<dl>${rows.join('\n')}</dl>
<p><a href="/reference/refusals">Every refusal, and its fix</a></p>`,
  );
}

/** The page is open to everyone; the password in a proxy URL is not. */
export function withoutUser(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
