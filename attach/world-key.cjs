// A request that the app addresses to the world's own paths (a twin's URL, the world's endpoints) carries the world's
// token as `x-twins-key` (4.2, 5.2): the app's own Authorization stays the vendor's.
'use strict';

const channels = require('node:diagnostics_channel');

const KEY = 'x-twins-key';
/** Whoever brings one of them is known by that. */
const OWN_CREDENTIALS = [KEY, 'x-wrld-token'];

/** @param {import('./settings.cjs').World} world */
function installWorldKey({ origin, place, token }) {
  const isOwn = path => [place, `/-${place}`].some(own => path === own || /^[/?]/.test(after(path, own)));
  channels.channel('undici:request:create').subscribe(({ request }) => {
    if (String(request.origin) !== origin || !isOwn(request.path)) return;
    const { headers } = request;
    const names = typeof headers === 'string' ? headers.split('\r\n') : headers.filter((_, i) => i % 2 === 0);
    if (!names.some(name => OWN_CREDENTIALS.includes(String(name).split(':')[0].toLowerCase())))
      request.addHeader(KEY, token);
  });

  const { host } = new URL(origin);
  let installed = false;
  /** node:http is loaded by whoever uses it, so this is called with its first connection to the world. */
  return function installForHttp() {
    if (installed) return;
    installed = true;
    const { prototype } = require('node:http').ClientRequest;
    const direct = prototype._storeHeader;
    prototype._storeHeader = function (requestLine, headers) {
      // A list is written as it is, past what the request knows of its fields.
      const field = name => (Array.isArray(headers) ? inList(headers, name) : this.getHeader(name));
      const asks = isOwn(this.path) && field('host') === host;
      const known = asks && OWN_CREDENTIALS.some(name => field(name) !== undefined);
      const line = asks && !known ? `${requestLine}${KEY}: ${token}\r\n` : requestLine;
      return Reflect.apply(direct, this, [line, headers]);
    };
  };
}

/** Names and values in turn, or in pairs. */
function inList(headers, name) {
  const flat = headers.flat();
  const at = flat.findIndex((each, i) => i % 2 === 0 && String(each).toLowerCase() === name);
  return at === -1 ? undefined : flat[at + 1];
}

function after(path, prefix) {
  return path.startsWith(prefix) ? path.slice(prefix.length) : '';
}

module.exports = { installWorldKey };
