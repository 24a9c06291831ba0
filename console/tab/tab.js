// One attached global, of a page or of a worker: what it was attached with, and the judgement of what it asks.
import { judge } from './judge.js';
import { refusalOf } from './refusal.js';

/**
 * @typedef {object} Settings what a worker is handed too
 * @property {string} program
 * @property {string} world
 * @property {string} name
 * @property {string} token
 * @property {import('./judge.js').Plan | null} plan
 * @property {readonly string[] | null} hosts
 * @property {import('./judge.js').Grants} grants
 * @property {import('./refusal.js').DeclaredBy | null} declaredBy
 * @property {'blob' | 'own'} workers
 * @property {string | null} base what relative URLs are relative to; null: the document says
 */

export const KEY = 'x-twins-key';
/** For which of the vendor's hosts a request was. */
export const VENDOR_HOST = 'x-wrld-vendor-host';
const OWN_CREDENTIALS = [KEY, 'x-wrld-token'];

export class Tab {
  /** @type {Settings} */
  settings;
  /** Resolves when the world has said its plan, or will not. @type {Promise<void>} */
  ready = Promise.resolve();
  #scope;

  /** @param {typeof globalThis} scope @param {Settings} settings */
  constructor(scope, settings) {
    this.#scope = scope;
    this.settings = settings;
  }

  /** Throws, as the platform does, what is no URL. @param {string | URL} url */
  absolute(url) {
    return new URL(url, this.settings.base ?? this.#scope.document.baseURI);
  }

  /** @param {string} method @param {URL} url @param {'http' | 'socket'} transport */
  judge(method, url, transport = 'http') {
    const { location } = this.#scope;
    const page = this.#scope.origin ?? location.origin;
    return judge({ method: method.toUpperCase(), url, transport }, { ...this.settings, page });
  }

  /** The error of a refused request; said on the console too, for many a program says nothing of it. @param {URL} url @param {Extract<import('./judge.js').Verdict, { to: 'refused' }>} verdict */
  refusal(url, { rule, about }) {
    const { program, name, plan, world, declaredBy } = this.settings;
    const docsUrl = plan?.docsUrl ?? world;
    const error = refusalOf({ program, world: name, docsUrl, url, rule, about, declaredBy });
    console.error(`wrld: ${error.message}`);
    return error;
  }

  /** What a request to the world has besides; whoever brings a credential of the world's is known by that. @param {Headers} headers @param {string | null} host */
  sign(headers, host) {
    if (!OWN_CREDENTIALS.some(name => headers.has(name))) headers.set(KEY, this.settings.token);
    if (host !== null) headers.set(VENDOR_HOST, host);
  }
}
