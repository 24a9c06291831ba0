// Which proxy the environment names, and for which hosts it is not used.
'use strict';

/**
 * @typedef {{ host: string, port: number, authorization: string | null }} Proxy
 * @typedef {{ proxyFor(protocol: 'http:' | 'https:', host: string, port: number): Proxy | null }} Settings
 */

/** @returns {Settings | null} null when the environment names no proxy. */
function proxySettings(env) {
  // Lower case first, as curl reads them.
  const https = readProxy(env.https_proxy || env.HTTPS_PROXY);
  const http = readProxy(env.http_proxy || env.HTTP_PROXY);
  if (https === null && http === null) return null;
  const direct = readNoProxy(env.no_proxy || env.NO_PROXY || '');
  return {
    proxyFor(protocol, host, port) {
      const proxy = protocol === 'https:' ? https : http;
      if (proxy === null) return null;
      const bare = withoutBrackets(String(host)).toLowerCase().replace(/\.$/, '');
      // What already goes to the proxy (a client with its own proxy support) goes there as it is.
      if (bare === proxy.host && port === proxy.port) return null;
      return direct(bare, port) ? null : proxy;
    },
  };
}

function readProxy(text) {
  if (!text) return null;
  let url;
  try {
    url = new URL(text.includes('://') ? text : `http://${text}`);
  } catch {
    return null;
  }
  // TLS to the proxy itself is nothing that a world has.
  if (url.protocol !== 'http:') return null;
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    host: withoutBrackets(url.hostname),
    port: Number(url.port || 80),
    authorization: url.username === '' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

/** `host`, `.suffix`, `*.suffix`, each with an optional `:port`, and `*`, separated by commas or spaces. */
function readNoProxy(text) {
  const rules = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(entry => {
      // A port follows a name, an IPv4 address or a bracket; the colons of a bare IPv6 address are its own.
      const match = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry);
      const name = match === null ? entry : match[1];
      return {
        name: withoutBrackets(name).replace(/^\*(?=\.)/, ''),
        port: match?.[2] ? Number(match[2]) : null,
      };
    });
  return (host, port) =>
    rules.some(
      rule =>
        (rule.port === null || rule.port === port) &&
        (rule.name === '*' ||
          rule.name === host ||
          host.endsWith(rule.name.startsWith('.') ? rule.name : `.${rule.name}`)),
    );
}

function withoutBrackets(host) {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

module.exports = { proxySettings };
