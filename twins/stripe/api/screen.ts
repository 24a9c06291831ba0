// Screens: the vendor's pages where a person pays, confirms or leaves, as plain HTML at the vendor's own hosts.
// They work without scripts, and each form posts to the address it stands at.
import type { Call } from '../../kit/call.ts';
import { decodeForm, type FormMap } from '../../kit/form.ts';
import { type Html, html, pageReply } from '../../kit/html.ts';
import type { Reply } from '../../kit/reply.ts';
import { compileRoutes } from '../../kit/routes.ts';
import type { Tx } from '../../kit/tx.ts';
import { type Scope, scoped } from './account-scope.ts';
import { type Act, actOf } from './act.ts';
import { StripeRefusal } from './errors.ts';
import type { RecordTable } from './record-row.ts';

export type Screen = {
  /** As the manifest names it. */
  readonly id: string;
  readonly host: string;
  /** Template: `/c/pay/{session}`. */
  readonly path: string;
  readonly run: (ask: ScreenAsk) => Reply;
};

export type ScreenAsk = {
  readonly act: Act;
  readonly method: 'GET' | 'POST';
  readonly path: { readonly [name: string]: string };
  readonly query: URLSearchParams;
  /** The fields of a posted form; none of them bracketed. */
  readonly form: ReadonlyMap<string, string>;
};

/** Hosts that answer the API too. */
const SHARED_HOSTS = ['connect.stripe.com'];

export type ScreenDesk = (call: Call, tx: Tx) => Reply | null;

/** Answers calls to screens; null for what is none. */
export function openScreens(screens: readonly Screen[], records: RecordTable): ScreenDesk {
  const router = compileRoutes(
    screens.flatMap(screen => ['GET', 'POST'].map(method => ({ method, path: screen.path, screen }))),
  );
  const hosts = new Set(screens.map(({ host }) => host));
  return (call, tx) => {
    if (call.via === 'host' && !hosts.has(call.host)) return null;
    const found = router(call.method === 'HEAD' ? 'GET' : call.method, call.path);
    if (!found.ok || (call.via === 'host' && found.route.screen.host !== call.host)) {
      const page = call.via === 'host' && !SHARED_HOSTS.includes(call.host);
      return page ? notice(404, 'Page not found', 'There is no such page.') : null;
    }
    const decoded = decodeForm(new TextDecoder().decode(call.body));
    const scope: Scope = { account: null, learns: true };
    const act: Act = {
      ...actOf(records, scoped(tx, scope), { id: null, idempotency_key: null }),
      get account() {
        return scope.account;
      },
    };
    try {
      const reply = found.route.screen.run({
        act,
        method: call.method === 'POST' ? 'POST' : 'GET',
        path: found.params,
        query: new URLSearchParams(call.query),
        form: decoded.ok ? flat(decoded.form) : new Map(),
      });
      return { ...reply, route: found.route.path };
    } catch (thrown) {
      if (!(thrown instanceof StripeRefusal)) throw thrown;
      if (act.wrote && thrown.status !== 402) throw new Error(`refused after a write: ${thrown.message}`);
      return notice(thrown.status, 'Something went wrong', thrown.message);
    }
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
