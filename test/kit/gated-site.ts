// The world's endpoints behind the real listener, with an origin of their own, asked as a browser or as anything
// else asks: any Host, any header as often as told, from any address of this machine.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Listener, listen } from '../../control/node/listener.ts';
import type { TrustedIssuer } from '../../control/ports/trusted-issuer.ts';
import type { MountedTwin } from '../../twins/kit/twin.ts';
import { holdToContract } from './contract.ts';
import { within } from './deadline.ts';
import { openTestSite, type TestSite, type TestSiteOptions } from './site.ts';

export const OWN_LABEL = 'notes--acme';

export type GatedAsk = {
  readonly method?: string;
  /** `session` stands for `/-/acme/notes/session`; one that begins with `/` is taken as it is. */
  readonly path: string;
  /** The world's own host unless told. */
  readonly host?: string;
  /** Names and values; one may come twice. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: object;
  /** The cookie of a session, as `Set-Cookie` gave it. */
  readonly session?: string;
  /** Another address of this machine to ask at. */
  readonly address?: string;
};

export type GatedAnswer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests assert.
  readonly json: any;
  /** The session's id that was set; null when none was. */
  readonly session: string | null;
};

export type GatedSite = AsyncDisposable & {
  readonly site: TestSite;
  readonly listener: Listener;
  /** `http://notes--acme.localhost:<port>` */
  readonly origin: string;
  ask(ask: GatedAsk): Promise<GatedAnswer>;
  /** What a page at the world's own origin sends of itself. */
  readonly fromPage: readonly (readonly [name: string, value: string])[];
  /** A session opened with the credential; throws when none was. */
  open(credential: string): Promise<string>;
};

export async function openGatedSite(
  options: {
    readonly host?: string;
    readonly twins?: { readonly [vendor: string]: MountedTwin };
    readonly trusted?: readonly TrustedIssuer[];
    readonly ownOrigin?: null;
    readonly vendors?: TestSiteOptions['vendors'];
    readonly browsers?: TestSiteOptions['browsers'];
    /** What its origins end with, of a host of many worlds: `.worlds.test`. */
    readonly suffix?: string;
  } = {},
): Promise<GatedSite> {
  let listener: Listener | null = null;
  const { suffix = '.localhost' } = options;
  const ownHost = (): string => `${OWN_LABEL}${suffix}:${listener?.port}`;
  const origin = (): string => `http://${ownHost()}`;
  const site = await openTestSite({
    ...(options.twins && { twins: options.twins }),
    ...(options.vendors && { vendors: options.vendors }),
    ...(options.browsers && { browsers: options.browsers }),
    ...(options.suffix !== undefined && { siteForm: 'hosted' as const }),
    trusted: options.trusted ?? [],
    ownOrigin: () => (options.ownOrigin === null ? null : origin()),
  });
  listener = await listen({
    site: site.site,
    from: 'client',
    log: site.around.log,
    host: options.host ?? '127.0.0.1',
    port: 0,
  });
  const { port } = listener;
  const ask = async (asked: GatedAsk): Promise<GatedAnswer> => {
    const { method = 'GET', path, headers = [], body, session, address = '127.0.0.1' } = asked;
    const sent = body === undefined ? '' : JSON.stringify(body);
    const target = path.startsWith('/') ? path : `/-/acme/notes/${path}`;
    const outgoing = request({
      host: address,
      port,
      method,
      agent: false,
      path: target,
      headers: [
        ['host', asked.host ?? ownHost()],
        ...(session === undefined ? [] : [['cookie', `__Host-wrld-session=${session}`] as const]),
        ...(sent === '' ? [] : [['content-length', String(Buffer.byteLength(sent))] as const]),
        ...headers,
      ].flat(),
    });
    outgoing.end(sent);
    const [response] = (await within('an answer', once(outgoing, 'response'))) as [IncomingMessage];
    const whole = await text(response);
    // At a site's address the vendor answers.
    const atSite = asked.host !== undefined && /(?:--|[a-z]\.)notes--acme\./.test(asked.host);
    if (!atSite)
      holdToContract({
        world: 'acme/notes',
        method,
        target,
        status: response.statusCode!,
        contentType: response.headers['content-type'],
        text: whole,
      });
    let json: unknown = null;
    try {
      json = JSON.parse(whole);
    } catch {}
    const cookie =
      response.headers['set-cookie']?.find(each => each.startsWith('__Host-wrld-session=')) ?? '';
    const id = /^__Host-wrld-session=([^;]+);/.exec(cookie)?.[1] ?? null;
    return { status: response.statusCode!, headers: response.headers, text: whole, json, session: id };
  };
  return {
    site,
    listener,
    origin: origin(),
    ask,
    fromPage: [
      ['origin', origin()],
      ['sec-fetch-site', 'same-origin'],
    ],
    open: async credential => {
      const headers = [['x-wrld-token', credential]] as const;
      const answer = await ask({ method: 'POST', path: 'session', headers });
      if (answer.session === null) throw new Error(`no session: ${answer.status} ${answer.text}`);
      return answer.session;
    },
    [Symbol.asyncDispose]: async () => {
      await listener.close();
      await site[Symbol.asyncDispose]();
    },
  };
}
