// The proxy process: builds the real parts, joins them, and ends in good order. The only file that does.
import type { SecureContext } from 'node:tls';
import pino from 'pino';
import { loadAuthority } from '../certs/authority.ts';
import { LeafCache } from '../certs/cache.ts';
import { readProxyConfig } from './config.ts';
import { ProxyServer } from './server.ts';
import { Subscriber } from './subscriber.ts';
import { systemLookup } from './upstream/dial.ts';
import { upstreamTrust } from './upstream/trust.ts';

const ORPHAN_CHECK_MS = 1_000;

const read = readProxyConfig(process.argv.slice(2), process.env);
if (!read.ok) {
  process.stderr.write(`wrld proxy: ${read.why}\n`);
  process.exit(2);
}
const { config } = read;
const log = pino({ name: 'proxy', level: config.logLevel });

const authority = await loadAuthority(config.authorityFolder);
if (!authority.ok) {
  log.fatal({ why: authority.why }, 'the certificate authority cannot be used');
  process.exit(1);
}

// Parsing a few hundred roots takes tens of milliseconds: after listening, before the first origin is dialled.
let trusted: SecureContext | null = null;
const trust = (): SecureContext => (trusted ??= upstreamTrust(config.trustFiles));

const subscriber = new Subscriber({
  socketPath: config.ipcSocket,
  listen: () => server.address,
  onDrain: () => void shutDown('control asked'),
  log,
});

const server = await ProxyServer.start({
  host: config.host,
  port: config.port,
  snapshot: () => subscriber.snapshot,
  leaves: new LeafCache(authority.authority),
  trust,
  lookup: systemLookup,
  controlSocket: config.twinsSocket,
  refused: (run, record) => {
    log.info({ run: run.name, rule: record.rule, missing: record.missing, target: record.target }, 'refused');
    subscriber.report({ type: 'refused', at: Date.now(), run: run.name, record });
  },
});
subscriber.start();
log.info(server.address, 'listening');
setImmediate(trust);

const orphanCheck = setInterval(() => {
  if (subscriber.connected) subscriber.seenAt = performance.now();
  else if (config.orphanSeconds > 0 && performance.now() - subscriber.seenAt > config.orphanSeconds * 1_000)
    void shutDown(`no control for ${config.orphanSeconds} s`);
}, ORPHAN_CHECK_MS);

let ending = false;
async function shutDown(why: string): Promise<void> {
  if (ending) return;
  ending = true;
  log.info({ why }, 'draining');
  clearInterval(orphanCheck);
  await server.drain();
  subscriber.stop();
  log.info({}, 'ended');
  process.exit(0);
}
process.on('SIGTERM', () => void shutDown('SIGTERM'));
process.on('SIGINT', () => void shutDown('SIGINT'));
