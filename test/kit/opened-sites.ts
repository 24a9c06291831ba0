// A world with the pages of `site-twin.ts` behind the real listener, asked as a browser asks: with its cookies, its origin and
// what it says of where a request comes from.
import { type GatedAnswer, type GatedSite, OWN_LABEL, openGatedSite } from './gated-site.ts';
import { twin } from './site-twin.ts';

type Ask = {
  readonly method?: string;
  readonly path?: string;
  /** The value of `Cookie` besides the session. */
  readonly cookies?: string;
  readonly session?: string | null;
  /** `Sec-Fetch-Site`; null for none. */
  readonly from?: string | null;
  readonly mode?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: object;
};

export type OpenedSites = AsyncDisposable & {
  readonly gated: GatedSite;
  /** Of a copy: `ada--app-acme-test`. */
  hostOf(label: string): string;
  /** Asked as a navigation is, unless told. */
  at(label: string, ask?: Ask): Promise<GatedAnswer>;
  /** `sites/go` with the session, from the world's own page. */
  go(query: string, session: string, from?: string | null): Promise<GatedAnswer>;
  /** A session at a site, opened with the one of the world. */
  enter(query: string, session: string): Promise<{ readonly session: string; readonly location: string }>;
  put(name: string, profile: object): Promise<void>;
};

export async function openSites(
  options: Pick<NonNullable<Parameters<typeof openGatedSite>[0]>, 'suffix' | 'browsers'> = {},
): Promise<OpenedSites> {
  const gated = await openGatedSite({ ...options, twins: { acme: { twin, respond: twin.respond } } });
  const { suffix } = options;
  const { port } = gated.listener;
  const hostOf = (label: string): string =>
    suffix === undefined
      ? `${label}.${OWN_LABEL}.localhost:${port}`
      : `${label}--${OWN_LABEL}${suffix}:${port}`;
  const at: OpenedSites['at'] = (label, ask = {}) => {
    const {
      method = 'GET',
      path = '/',
      cookies,
      session,
      from = 'none',
      mode = 'navigate',
      headers = [],
      body,
    } = ask;
    const jar = [
      ...(session == null ? [] : [`__Host-wrld-session=${session}`]),
      ...(cookies === undefined ? [] : [cookies]),
    ].join('; ');
    return gated.ask({
      method,
      path,
      host: hostOf(label),
      headers: [
        ...(jar === '' ? [] : [['cookie', jar] as const]),
        ...(from === null ? [] : [['sec-fetch-site', from] as const]),
        ['sec-fetch-mode', mode],
        ...headers,
      ],
      ...(body && { body }),
    });
  };
  const go: OpenedSites['go'] = (query, session, from = 'same-origin') =>
    gated.ask({
      path: `sites/go?${query}`,
      session,
      headers: from === null ? [] : [['sec-fetch-site', from]],
    });
  return {
    gated,
    hostOf,
    at,
    go,
    enter: async (query, session) => {
      const { location } = (await go(query, session)).headers;
      const url = new URL(location!);
      const label = url.host.slice(0, -hostOf('').length);
      const entered = await at(label, { path: `${url.pathname}${url.search}`, from: 'same-site' });
      if (entered.session === null) throw new Error(`not in: ${entered.status} ${entered.text}`);
      return { session: entered.session, location: entered.headers.location! };
    },
    put: async (name, profile) => {
      const put = await gated.ask({
        method: 'PUT',
        path: `browsers/${name}`,
        headers: [
          ['x-wrld-token', gated.site.token],
          ['content-type', 'application/json'],
        ],
        body: profile,
      });
      if (put.status !== 200) throw new Error(put.text);
    },
    [Symbol.asyncDispose]: () => gated[Symbol.asyncDispose](),
  };
}

export const EMPTY_PROFILE = { storageState: { cookies: [], origins: [] }, context: {} };

/** A cookie of a profile. */
export function profileCookie(name: string, value: string, more: object = {}): object {
  const usual = {
    domain: '.acme.test',
    path: '/',
    expires: -1,
    httpOnly: false,
    secure: true,
    sameSite: 'Lax',
  };
  return { name, value, ...usual, ...more };
}
