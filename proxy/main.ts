// The proxy process: builds the real parts, joins them, and ends in good order. The only file that does.
import './heap.ts';
import pino from 'pino';
import { loadAuthority } from '../certs/authority.ts';
import type { FromProxy } from '../policy/push.ts';
import type { SnapshotDocument } from '../policy/snapshot.ts';
import { descriptorsMax } from '../process/descriptors.ts';
import { outliveFileLimit } from '../process/file-limit.ts';
import { linesTo } from '../process/log-file.ts';
import { readProxyConfig } from './config.ts';
import { roomOf } from './descriptors.ts';
import { Journal } from './journal.ts';
import { LIMITS, ORPHAN_CHECK_MS } from './limits.ts';
import { LineBuffer } from './line-buffer.ts';
import { Metrics } from './metrics.ts';
import { startServer } from './start-server.ts';
import { Subscriber } from './subscriber.ts';
import { Workers } from './workers.ts';

const read = readProxyConfig(process.argv.slice(2), process.env);
if (!read.ok) {
  process.stderr.write(`wrld proxy: ${read.why}\n`);
  process.exit(2);
}
const { config } = read;
outliveFileLimit();
let counted: Metrics | null = null;
const lines = new LineBuffer(
  linesTo(config.logFile, { rotates: true, onLost: count => counted?.add('logLinesLost', count) }),
);
process.on('exit', () => lines.end());
const log = pino({ name: 'proxy', level: config.logLevel }, lines.atOnce);
// Before the process ends by it: what standard error says is in another file than all the rest.
process.on('uncaughtExceptionMonitor', error => log.fatal({ err: error }, 'the proxy ends in a bug'));

const subscriber = new Subscriber({
  socketPath: config.ipcSocket,
  listen: () => planes.address,
  onAnswer: inForce => planes.metrics.add(inForce ? 'pushes' : 'pushesRejected'),
  onDrain: () => void shutDown('control asked'),
  spread: document => planes.push(document),
  log,
});

const report = (refused: Extract<FromProxy, { type: 'refused' }>): void => {
  const { run, agent, record } = refused;
  log.info({ run, agent, rule: record.rule, missing: record.missing, target: record.target }, 'refused');
  subscriber.report(refused);
};

/** What this process serves with: one data plane in this thread, or several in threads of their own. */
async function startPlanes(): Promise<{
  readonly address: { readonly host: string; readonly port: number };
  readonly guestPort: number | null;
  readonly metrics: Metrics;
  /** Null where there is nobody else to tell. */
  push(document: SnapshotDocument): Promise<void> | null;
  drain(): Promise<void>;
}> {
  const { host, port, workers: count } = config;
  if (count === 1) {
    const metrics = new Metrics();
    counted = metrics;
    const room = roomOf(descriptorsMax(), 1);
    const server = await startServer(config, {
      limits: {
        clientConnections: Math.min(LIMITS.clientConnections, room.clients),
        upstreamConnections: room.upstreams,
        connections: room.together,
      },
      snapshot: () => subscriber.snapshot,
      journal: new Journal(metrics, log.isLevelEnabled('info') ? lines : null),
      warn: (fields, message) => log.warn(fields, message),
      refused: (run, record, agent) =>
        report({ type: 'refused', at: Date.now(), run: run.name, agent, record }),
    });
    const { address, guestPort } = server;
    return { address, guestPort, metrics, push: () => null, drain: () => server.drain() };
  }
  // The authority is made once, before several would make it.
  const authority = await loadAuthority(config.authorityFolder);
  if (!authority.ok) throw new Error(authority.why);
  const onHopeless = (why: string): void => {
    log.fatal({ why }, 'the workers do not stay up');
    process.exit(1);
  };
  const args = process.argv.slice(2);
  const { guestPort } = config;
  const workers = await Workers.start({
    count,
    args,
    host,
    port,
    guestPort,
    onRefused: report,
    onHopeless,
    log,
  });
  return {
    address: workers.address,
    guestPort: workers.guestPort,
    // Pushes are counted here alone, in a place of the first worker's that it does not write.
    metrics: new Metrics(workers.metrics[0]),
    push: document => workers.push(document),
    drain: () => workers.drain(),
  };
}

const planes = await startPlanes().catch((error: Error) => {
  log.fatal({ why: error.message }, 'the proxy cannot start');
  process.stderr.write(`the proxy cannot start: ${error.message}\n`);
  process.exit(1);
});
subscriber.start();
log.info({ ...planes.address, guestPort: planes.guestPort, workers: config.workers }, 'listening');

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
  await planes.drain();
  subscriber.stop();
  log.info({}, 'ended');
  process.exit(0);
}
process.on('SIGTERM', () => void shutDown('SIGTERM'));
process.on('SIGINT', () => void shutDown('SIGINT'));
