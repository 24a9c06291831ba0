// Metrics as the text that Prometheus reads (exposition format 0.0.4), made when it is asked for.
import { RULE_NAMES } from '../policy/rules.ts';
import {
  ANSWERERS,
  BUCKETS,
  type Counter,
  type Gauge,
  type Histogram,
  type Metrics,
  STAGES,
  VERDICTS,
} from './metrics.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const COUNTER_ROWS: readonly (readonly [Counter, string, string])[] = [
  ['connections', 'client_connections_total', 'Client connections accepted.'],
  [
    'connectionsRefused',
    'client_connections_refused_total',
    'Client connections answered 503 or closed at accept: too many.',
  ],
  ['tunnels', 'tunnels_total', 'CONNECTs accepted.'],
  ['tunnelsRefused', 'tunnels_refused_total', 'CONNECTs answered 503: too many tunnels of one run.'],
  ['leafMints', 'leaf_mints_total', 'Certificates minted for hosts not seen before.'],
  ['leafMintsRefused', 'leaf_mints_refused_total', 'Tunnels closed because of the mint rate.'],
  ['cut', 'requests_cut_total', 'Requests whose client or upstream went away before the end of the answer.'],
  ['pushes', 'pushes_total', 'Snapshots of policy put in force.'],
  ['pushesRejected', 'pushes_rejected_total', 'Snapshots rejected; the one before stayed in force.'],
  ['logLinesLost', 'log_lines_lost_total', 'Lines of the log that could not be written.'],
  ['acceptsFailed', 'accepts_failed_total', 'Client connections that the system could not hand over.'],
];

const GAUGE_ROWS: readonly (readonly [Gauge, string, string])[] = [
  ['connectionsOpen', 'client_connections', 'Client connections open, tunnels included.'],
  ['tunnelsOpen', 'tunnels', 'Tunnels open.'],
  ['upstreamsIdle', 'upstream_connections_idle', 'Upstream connections that wait to be used again.'],
  ['leavesHeld', 'leaf_contexts', 'TLS contexts held, one a host.'],
  [
    'snapshotVersion',
    'snapshot_version',
    'Version of the snapshot in force in every worker; 0 before the first.',
  ],
];

/** `epoch`: of the snapshot in force; empty before the first. */
export function metricsText(metrics: Metrics, epoch: string): string {
  const lines: string[] = [];
  const head = (name: string, kind: 'counter' | 'gauge' | 'histogram', help: string): string => {
    const full = `wrld_proxy_${name}`;
    lines.push(`# HELP ${full} ${help}`, `# TYPE ${full} ${kind}`);
    return full;
  };
  const decisions = head('requests_total', 'counter', 'Requests by what was decided.');
  for (const verdict of VERDICTS)
    lines.push(`${decisions}{decision="${verdict}"} ${metrics.verdict(verdict)}`);
  const refusals = head('refusals_total', 'counter', 'Refused requests and tunnels by rule.');
  for (const rule of RULE_NAMES) lines.push(`${refusals}{rule="${rule}"} ${metrics.rule(rule)}`);
  const responses = head('responses_total', 'counter', 'Answers by class of status.');
  for (let hundred = 1; hundred <= 5; hundred++)
    lines.push(`${responses}{class="${hundred}xx"} ${metrics.statusClass(hundred)}`);
  const failures = head(
    'upstream_failures_total',
    'counter',
    'Exchanges that got no whole answer, by stage.',
  );
  for (const stage of STAGES) lines.push(`${failures}{stage="${stage}"} ${metrics.stage(stage)}`);
  const bytes = head('body_bytes_total', 'counter', 'Bytes of bodies.');
  lines.push(`${bytes}{direction="from_client"} ${metrics.counter('bytesFromClients')}`);
  lines.push(`${bytes}{direction="to_client"} ${metrics.counter('bytesToClients')}`);
  for (const [counter, name, help] of COUNTER_ROWS)
    lines.push(`${head(name, 'counter', help)} ${metrics.counter(counter)}`);
  for (const [gauge, name, help] of GAUGE_ROWS)
    lines.push(`${head(name, 'gauge', help)} ${metrics.gauge(gauge)}`);
  // An epoch is control's own hex, but it came over a socket: it is held to the characters that need no escape.
  const label = epoch.replace(/[^\w.:-]/g, '');
  lines.push(`${head('snapshot_info', 'gauge', 'The epoch of the snapshot in force.')}{epoch="${label}"} 1`);
  const total = head('request_seconds', 'histogram', 'From the head of a request to the end of its answer.');
  for (const who of ANSWERERS) histogram(lines, total, who, metrics.totals(who));
  const first = head(
    'first_byte_seconds',
    'histogram',
    'From the head of a request to the head of its answer.',
  );
  for (const who of ANSWERERS) histogram(lines, first, who, metrics.firstBytes(who));
  return `${lines.join('\n')}\n`;
}

function histogram(lines: string[], name: string, who: string, { counts, count, sumMs }: Histogram): void {
  let below = 0;
  for (const [nth, bound] of BUCKETS.entries()) {
    below += counts[nth]!;
    lines.push(`${name}_bucket{decision="${who}",le="${bound / 1_000}"} ${below}`);
  }
  lines.push(`${name}_bucket{decision="${who}",le="+Inf"} ${count}`);
  lines.push(`${name}_sum{decision="${who}"} ${sumMs / 1_000}`, `${name}_count{decision="${who}"} ${count}`);
}
