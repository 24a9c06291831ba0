// fetch and sendBeacon of an attached global.
/** @typedef {import('./tab.js').Tab} Tab */

/** @param {typeof globalThis} scope @param {Tab} tab @returns {typeof fetch} what asks without being judged */
export function installFetch(scope, tab) {
  const direct = scope.fetch.bind(scope);
  const { Request } = scope;
  scope.fetch = async function fetch(input, init) {
    const given = input instanceof Request ? input : null;
    const url = given === null ? tab.absolute(/** @type {string | URL} */ (input)) : new URL(given.url);
    const method = init?.method ?? given?.method ?? 'GET';
    if (tab.settings.plan === null) await tab.ready;
    const verdict = tab.judge(method, url);
    if (verdict.to === 'refused') throw tab.refusal(url, verdict);
    // As it was given: to read a request here would be to use up its body.
    if (verdict.to === 'out') return direct(given ?? url, init);
    const asked = new Request(given ?? url, init);
    if (verdict.to === 'twin') return askTwin(direct, asked, verdict, tab);
    const headers = new Headers(asked.headers);
    tab.sign(headers, null);
    return direct(new Request(asked, { headers, ...CORS }));
  };
  return direct;
}

/** The world answers any origin, and no cookie of it is meant. @type {RequestInit} */
const CORS = { mode: 'cors', credentials: 'omit' };

/** @param {typeof fetch} direct @param {Request} asked @param {{ url: string; host: string }} to @param {Tab} tab */
async function askTwin(direct, asked, to, tab) {
  if (asked.mode === 'same-origin') throw new TypeError('Failed to fetch: the mode is same-origin');
  const headers = new Headers(asked.headers);
  tab.sign(headers, to.host);
  // Read whole: a body that streams needs HTTP/2, which the world does not speak to pages.
  const body = /^(?:GET|HEAD)$/.test(asked.method) ? null : await asked.arrayBuffer();
  const { method, signal, redirect, keepalive, cache } = asked;
  const answer = await direct(to.url, {
    method,
    headers,
    signal,
    redirect,
    keepalive,
    ...(cache === 'only-if-cached' ? {} : { cache }),
    ...(body !== null && body.byteLength > 0 && { body }),
    ...CORS,
    referrerPolicy: 'no-referrer',
  });
  // The vendor's, for the program and its SDK.
  if (!answer.redirected) Object.defineProperty(answer, 'url', { value: asked.url });
  return answer;
}

/** @param {typeof globalThis} scope @param {Tab} tab @param {typeof fetch} direct */
export function installBeacon(scope, tab, direct) {
  const navigator = scope.navigator;
  if (typeof navigator.sendBeacon !== 'function') return;
  const send = navigator.sendBeacon.bind(navigator);
  navigator.sendBeacon = (to, data) => {
    const url = tab.absolute(to);
    const verdict = tab.judge('POST', url);
    if (verdict.to === 'out') return send(url, data);
    if (verdict.to === 'refused') {
      tab.refusal(url, verdict);
      return false;
    }
    const asked = new Request(url, { method: 'POST', ...(data != null && { body: data }) });
    const headers = new Headers(asked.headers);
    tab.sign(headers, verdict.to === 'twin' ? verdict.host : null);
    const target = verdict.to === 'twin' ? verdict.url : url;
    // As a beacon is: nobody hears of its end, and the page may be gone by then.
    direct(target, { method: 'POST', headers, body: data ?? null, keepalive: true, ...CORS }).catch(() => {});
    return true;
  };
}
