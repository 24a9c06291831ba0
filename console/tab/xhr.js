// XMLHttpRequest of an attached global.
import { KEY, VENDOR_HOST } from './tab.js';

/** Nothing is ever there, so that what is asked of it ends as a network error does. */
const NOWHERE = 'blob:wrld/nowhere';

/** @param {typeof globalThis} scope @param {import('./tab.js').Tab} tab */
export function installXhr(scope, tab) {
  // A service worker has none.
  if (typeof scope.XMLHttpRequest !== 'function') return;
  scope.XMLHttpRequest = class XMLHttpRequest extends scope.XMLHttpRequest {
    /** @type {import('./judge.js').Verdict} */
    #verdict = { to: 'out' };
    #asked = '';
    #signed = false;

    /** @override @param {string} method @param {string | URL} url @param {boolean} async @param {(string | null)[]} user */
    open(method, url, async = true, ...user) {
      const asked = tab.absolute(url);
      const verdict = tab.judge(method, asked);
      this.#verdict = verdict;
      this.#asked = asked.href.replace(/#.*$/, '');
      this.#signed = false;
      if (verdict.to === 'refused') {
        tab.refusal(asked, verdict);
        super.open(method, NOWHERE, async);
      } else if (verdict.to === 'twin') super.open(method, verdict.url, async);
      else super.open(method, asked.href, async, ...user);
    }

    /** @override @param {string} name @param {string} value */
    setRequestHeader(name, value) {
      if (/^(?:x-twins-key|x-wrld-token)$/i.test(name)) this.#signed = true;
      super.setRequestHeader(name, value);
    }

    /** @override @param {Document | XMLHttpRequestBodyInit | null} [body] */
    send(body) {
      const { to } = this.#verdict;
      if (to === 'twin' || to === 'own') {
        if (!this.#signed) super.setRequestHeader(KEY, tab.settings.token);
        if (this.#verdict.to === 'twin') super.setRequestHeader(VENDOR_HOST, this.#verdict.host);
        this.withCredentials = false;
      }
      super.send(body);
    }

    /** @override */
    get responseURL() {
      const at = super.responseURL;
      return this.#verdict.to === 'twin' && at === this.#verdict.url ? this.#asked : at;
    }
  };
}
