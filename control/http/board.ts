// …/board: the pages of the world's sites beside each other, a frame for each browser's copy (4.3, rule 10).
import type { Reply } from '../../twins/kit/reply.ts';
import { problem } from './answer.ts';
import type { Route, Visit } from './route.ts';
import { failure } from './shapes.ts';
import type { VendorSites } from './vendor-sites.ts';

const PAGE = 'world/board.html';

export const board: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/board',
    access: 'read',
    signIn: true,
    tag: 'Looking',
    summary: 'a page of frames: each site as each browser has it, at addresses of their own',
    answers: {
      200: { description: 'the page', type: 'text/html' },
      404: failure('this host has no pages'),
    },
    run: (_call, _world, visit) => boardPage(visit),
  },
];

export type BoardPage = {
  /** Under which the board keeps how the frame stands. */
  readonly key: string;
  /** What was kept under it is this page's too, until something is kept under its own. */
  readonly alias: string | null;
  readonly section: { readonly key: string; readonly alias: string | null };
  /** Null for the plain copy. */
  readonly browser: string | null;
  readonly vendor: string;
  readonly host: string;
  readonly land: string;
  /** `http://ada--dashboard-stripe-com.…`; null where the copy has no address, and no frame then. */
  readonly origin: string | null;
};

/**
 * Rule 10. Each site that has a page to land at, for each browser whose address can be made; where one cannot be made, or
 * there are no browsers, the plain copy as well. What was kept when there were no browsers is the first one's.
 * `browsers`: sorted.
 */
export function boardPages(sites: VendorSites, browsers: readonly string[]): readonly BoardPage[] {
  const landed = sites.claimed.flatMap(({ vendor, host, land }) => {
    const made = browsers.filter(browser => sites.originOf({ browser, host }) !== null);
    const copies = made.length < browsers.length || browsers.length === 0 ? [...made, null] : made;
    return land === null ? [] : [{ vendor, host, land, copies }];
  });
  /** Those that keep what was kept without browsers. */
  const plain = new Set(landed.filter(({ copies }) => copies.includes(null)).map(({ vendor }) => vendor));
  return landed.flatMap(({ vendor, host, land, copies }) =>
    copies.map(browser => {
      const bare = `${vendor}:${host}`;
      const begin = browser === null ? '' : `~browser:${browser}:${vendor}:`;
      const first = browser !== null && browser === browsers[0];
      return {
        key: browser === null ? bare : `${begin}${host}`,
        alias: first && !copies.includes(null) ? bare : null,
        section: {
          key: browser === null ? vendor : begin,
          alias: first && !plain.has(vendor) ? vendor : null,
        },
        browser,
        vendor,
        host,
        land,
        origin: sites.originOf({ browser, host }),
      };
    }),
  );
}

function boardPage({ around }: Visit): Reply {
  const found = around.pageFile(PAGE);
  if (found === null) return problem(404, 'no-such-file', 'This host has no pages.');
  return {
    status: 200,
    headers: [
      ['content-type', found.type],
      ['content-security-policy', policy(around.ownOrigin, around.siteForm)],
      ['x-content-type-options', 'nosniff'],
      ['referrer-policy', 'no-referrer'],
      ['cache-control', 'no-store'],
    ],
    body: found.body,
  };
}

/** As the world's own page, with frames of what stands at the addresses of its sites. */
function policy(ownOrigin: string | null, form: 'local' | 'hosted'): string {
  const frames = ["'self'"];
  if (ownOrigin !== null) {
    const { protocol, host } = new URL(ownOrigin);
    // Hosted, they stand beside the world: a wildcard is a whole label, and what is not of this world has no session here.
    const below = form === 'local' ? host : host.slice(host.indexOf('.') + 1);
    frames.push(`${protocol}//*.${below}`);
  }
  return `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src ${frames.join(' ')}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
