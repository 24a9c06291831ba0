// Screens: the vendor's pages where a person pays, confirms or leaves, as plain HTML at the vendor's own hosts.
// They work without scripts, and each form posts to the address it stands at.
import type { Screens } from '../../kit/build-twin.ts';
import type { Call } from '../../kit/call.ts';
import { decodeForm, type FormMap } from '../../kit/form.ts';
import { type Html, html, pageReply } from '../../kit/html.ts';
import type { Asked, Screen as KitScreen } from '../../kit/operation.ts';
import type { Reply } from '../../kit/reply.ts';
import { type Scope, scoped } from './account-scope.ts';
import { type Act, actOf } from './act.ts';
import type { RecordTable } from './record-row.ts';

/** Every one of them has forms, which post to where it stands. */
export type Screen = KitScreen<ScreenAsk> & { readonly host: string };

export type ScreenAsk = {
  /** Sees what the account sees whose record is read first. */
  readonly act: Act;
  /** Sees the platform's records alone. */
  readonly platform: Act;
  readonly call: Call;
  readonly method: 'GET' | 'POST';
  readonly path: { readonly [name: string]: string };
  readonly query: URLSearchParams;
  /** The fields of a posted form; none of them bracketed. */
  readonly form: ReadonlyMap<string, string>;
};

/** Hosts that answer the API too. */
const SHARED_HOSTS = ['connect.stripe.com'];

/** The screens as `buildTwin` takes them. */
export function screensOf(screens: readonly Screen[], records: RecordTable): Screens<ScreenAsk> {
  return {
    list: screens.map(screen => ({ ...screen, posts: true })),
    page: asked => page(asked, records),
    error: ({ status, message }) => notice(status, 'Something went wrong', message),
    none: ({ via, host }) =>
      via === 'host' && !SHARED_HOSTS.includes(host)
        ? notice(404, 'Page not found', 'There is no such page.')
        : null,
  };
}

function page({ call, tx, path, query }: Asked, records: RecordTable): ScreenAsk {
  const decoded = decodeForm(new TextDecoder().decode(call.body));
  const scope: Scope = { account: null, learns: true };
  const nobody = { id: null, idempotency_key: null };
  const act: Act = {
    ...actOf(records, scoped(tx, scope), nobody),
    get account() {
      return scope.account;
    },
  };
  return {
    act,
    get platform() {
      return actOf(records, scoped(tx, { account: null, learns: false }), nobody);
    },
    call,
    method: call.method === 'POST' ? 'POST' : 'GET',
    path,
    query,
    form: decoded.ok ? flat(decoded.form) : new Map(),
  };
}

function flat(form: FormMap): Map<string, string> {
  return new Map([...form].filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}

const STYLE =
  ':root{color-scheme:light}body{font:16px/1.5 system-ui,sans-serif;color:#1a1f36;background:#f6f8fa;margin:0}main{max-width:30rem;margin:3rem auto;' +
  'background:#fff;padding:2rem;border-radius:8px;box-shadow:0 1px 4px #0002}h1{font-size:1.25rem;margin:0 0 1rem}h2{font-size:1rem;margin:2rem 0 .5rem}' +
  'label{display:block;margin:.75rem 0 .25rem}input,select{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;' +
  'border:1px solid #c1c9d2;border-radius:4px}button{font:inherit;margin-top:1rem;padding:.6rem 1rem;border:0;border-radius:4px;' +
  'background:#4f5bd5;color:#fff;cursor:pointer}button.quiet{background:#e3e8ee;color:#1a1f36}table{width:100%;border-collapse:' +
  'collapse}td{padding:.25rem 0;vertical-align:top}td:last-child{text-align:right;white-space:nowrap}td form{white-space:normal}.error{color:#b3093c}.note{color:#556;font-size:' +
  '.875rem}:focus-visible{outline:2px solid #4f5bd5;outline-offset:2px}';

export function screenReply(title: string, body: Html, status = 200): Reply {
  const page = html`<main><h1>${title}</h1>
${body}
<p class="note">This page is a simulation: no money moves.</p></main>`;
  // Its forms send the browser on to the shop, wherever that is.
  return pageReply(title, page, { status, style: STYLE, policy: '' });
}

export function notice(status: number, title: string, message: string): Reply {
  return screenReply(title, html`<p>${message}</p>`, status);
}

/** Sends the browser on after a form; only to what was checked to be http or https. */
export function sendTo(url: string): Reply {
  if (!/^https?:\/\//i.test(url)) return notice(200, 'Done', 'You may close this page.');
  return {
    status: 303,
    headers: [
      ['Location', new URL(url).href],
      ['Cache-Control', 'no-store'],
    ],
    body: '',
  };
}
