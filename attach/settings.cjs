// What the environment says of the world that this process is in: its proxy, what is reached past that, and this run's
// copy of the network policy.
'use strict';

const { readFileSync } = require('node:fs');

/**
 * @typedef {{ host: string, port: number, authorization: string | null }} Proxy
 * @typedef {{ origin: string, place: string, token: string }} World `place`: `/<org>/<world>`
 * @typedef {{ unreadable: boolean, ownLoopback: boolean, reachable: readonly string[] }} Policy
 * @typedef {object} Settings
 * @property {(host: string, port: number) => Proxy | null} proxyFor null: the connection is made as it is
 * @property {boolean} policyUnreadable
 * @property {World | null} world
 * @property {((target: string) => object) | null} nativeDirect of an image that runs natively: the record of what it dials past the proxy
 * @property {boolean} contained all that leaves arrives at the world, whoever makes the connection
 */

/** @returns {Settings | null} null when the environment names no proxy. */
function readSettings(env) {
  // What the run set comes before what a program sets for itself; lower case before upper, as curl reads them.
  const named =
    env.WRLD_WORLD_PROXY || env.https_proxy || env.HTTPS_PROXY || env.http_proxy || env.HTTP_PROXY;
  const proxy = readProxy(named);
  if (proxy === null) return null;
  const direct = readNoProxy(env.no_proxy || env.NO_PROXY || '');
  const world = readWorld(env);
  const worldHost = world === null ? null : hostAndPort(world.origin);
  const { unreadable: unreadablePolicy, ownLoopback, reachable } = readPolicy(env);
  const declared = readDeclaration(env);
  const unreadable = unreadablePolicy || declared.unreadable;
  return {
    world,
    contained: env.WRLD_WORLD_CONTAINED === '1',
    policyUnreadable: unreadable,
    nativeDirect: declared.nativeDirect,
    proxyFor(asked, port) {
      const host = withoutBrackets(asked).toLowerCase().replace(/\.$/, '');
      // What already goes to the proxy (a client with its own proxy support) goes there as it is.
      if (host === proxy.host && port === proxy.port) return null;
      if (`${host}:${port}` === worldHost) return null;
      if (isLoopback(host)) return ownLoopback || reachable.includes(`${host}:${port}`) ? null : proxy;
      return !unreadable && direct(host, port) ? null : proxy;
    },
  };
}

function readWorld({ WRLD_WORLD: text, WRLD_WORLD_TOKEN: token }) {
  if (!text || !token) return null;
  try {
    const { origin, pathname } = new URL(text);
    return { origin, place: pathname.replace(/\/$/, ''), token };
  } catch {
    return null;
  }
}

/** 7.2 `policy-unreadable`: a copy that cannot be read, or is another world's, grants nothing. */
function readPolicy(env) {
  const file = env.WRLD_WORLD_NETWORK_POLICY;
  if (!file) return { unreadable: false, ownLoopback: true, reachable: [] };
  try {
    const { kind, version, world, ownLoopback, reachable } = JSON.parse(readFileSync(file, 'utf8'));
    const ours = kind === 'wrld-world-network-policy' && version === 1 && world === env.WRLD_WORLD;
    if (ours && typeof ownLoopback === 'boolean' && Array.isArray(reachable))
      return { unreadable: false, ownLoopback, reachable };
  } catch {
    // It is gone, or no JSON.
  }
  return { unreadable: true, ownLoopback: true, reachable: [] };
}

/** 7.1: an image's own declaration, where it runs natively. One that cannot be read, or is another world's, declares nothing. */
function readDeclaration(env) {
  const file = env.WRLD_WORLD_DECLARATION;
  if (!file) return { unreadable: false, nativeDirect: null };
  try {
    const { kind, version, world, nativeDirect } = JSON.parse(readFileSync(file, 'utf8'));
    const ours = kind === 'wrld-world-declaration' && version === 1 && world === env.WRLD_WORLD;
    if (ours && typeof nativeDirect?.target === 'string' && typeof nativeDirect.reason === 'string') {
      const { target: place, reason } = nativeDirect;
      return {
        unreadable: false,
        nativeDirect: target => ({ ...nativeDirect, target, reason: reason.replace(place, () => target) }),
      };
    }
  } catch {
    // It is gone, or no JSON.
  }
  return { unreadable: true, nativeDirect: null };
}

function isLoopback(host) {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(host) ||
    host === '::1' ||
    host === '0.0.0.0' ||
    host === '::'
  );
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

function hostAndPort(origin) {
  const { hostname, port, protocol } = new URL(origin);
  return `${withoutBrackets(hostname)}:${port || (protocol === 'https:' ? 443 : 80)}`;
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

module.exports = { readSettings };
