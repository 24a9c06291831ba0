// One worker thread: a whole data plane of its own on the port that all share. The main thread hands it the
// policy and takes its refusals; the kernel hands it connections.
import { parentPort, workerData } from 'node:worker_threads';
import pino from 'pino';
import { compileSnapshot, type Snapshot, type SnapshotDocument, unreadSnapshot } from '../policy/snapshot.ts';
import { descriptorsMax } from '../process/descriptors.ts';
import { linesTo } from '../process/log-file.ts';
import { readProxyConfig } from './config.ts';
import { roomOf } from './descriptors.ts';
import { Journal } from './journal.ts';
import { LIMITS } from './limits.ts';
import { LineBuffer } from './line-buffer.ts';
import { Metrics } from './metrics.ts';
import { startServer } from './start-server.ts';
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts';

const start = workerData as WorkerStart;
const say = (message: FromWorker): void => parentPort!.postMessage(message);
const read = readProxyConfig(start.args, process.env);
if (!read.ok) throw new Error(read.why);
const { config } = read;
const allMetrics = start.metrics.map(memory => new Metrics(memory));
const metrics = allMetrics[start.nth]!;
metrics.clearGauges();
// The main thread sets the file aside when it is full.
const lines = new LineBuffer(
  linesTo(config.logFile, { rotates: false, onLost: count => metrics.add('logLinesLost', count) }),
);
process.on('exit', () => lines.end());
const log = pino({ name: 'proxy', level: config.logLevel }, lines.atOnce).child({ worker: start.nth });

let snapshot: Snapshot = unreadSnapshot('http://localhost');
const judgeBy = (document: SnapshotDocument): void => {
  const compiled = compileSnapshot(document);
  // The main thread compiled the same document before it came here.
  if (!compiled.ok) throw new Error(compiled.why);
  snapshot = compiled.snapshot;
  metrics.set('snapshotVersion', snapshot.version);
};
if (start.document !== null) judgeBy(start.document);

const room = roomOf(descriptorsMax(), start.workers);
const share = (limit: number): number => Math.ceil(limit / start.workers);
const server = await startServer(config, {
  port: start.port,
  guestPort: start.guestPort,
  // A path is one worker's alone.
  runsSocket: start.nth === 0 ? config.runsSocket : null,
  reusePort: true,
  ticketKeys: Buffer.from(start.ticketKeys),
  snapshot: () => snapshot,
  journal: new Journal(metrics, log.isLevelEnabled('info') ? lines : null, start.nth),
  allMetrics,
  warn: (fields, message) => log.warn(fields, message),
  refused: (run, record, agent) => say({ type: 'refused', at: Date.now(), run: run.name, agent, record }),
  // The kernel spreads connections evenly enough for each to hold its share.
  limits: {
    clientConnections: share(Math.min(LIMITS.clientConnections, room.clients)),
    upstreamConnections: share(room.upstreams),
    connections: share(room.together),
    tunnelsPerRun: share(LIMITS.tunnelsPerRun),
    leafMintsPerSecond: share(LIMITS.leafMintsPerSecond),
    leafMintsBurst: share(LIMITS.leafMintsBurst),
  },
});
say({ type: 'listening', ...server.address, guestPort: server.guestPort });

parentPort!.on('message', (message: ToWorker) => {
  if (message.type === 'drain') void server.drain().then(() => process.exit(0));
  else {
    judgeBy(message.document);
    say({ type: 'in-force', epoch: snapshot.epoch, version: snapshot.version });
  }
});
