import t from 'tap';
import { BUCKETS, bucketOf, METRICS_BYTES, Metrics } from '../../proxy/metrics.ts';
import { metricsText } from '../../proxy/metrics-text.ts';

t.test('a duration falls into the first bucket whose bound is not below it', t => {
  for (const [nth, bound] of BUCKETS.entries()) {
    t.equal(bucketOf(bound), nth, `${bound} ms`);
    t.equal(bucketOf(bound * 1.001), nth + 1, `a little over ${bound} ms`);
  }
  t.equal(bucketOf(0), 0);
  t.equal(bucketOf(-1), 0, 'a clock that stepped');
  t.equal(bucketOf(1e12), BUCKETS.length);
  t.end();
});

t.test('what workers count in shared memory adds up, and the version is that of the slowest', t => {
  const memory = [new SharedArrayBuffer(METRICS_BYTES), new SharedArrayBuffer(METRICS_BYTES)];
  const [one, other] = memory.map(shared => new Metrics(shared)) as [Metrics, Metrics];
  one.judged('refuse', 'sealed');
  one.total('twin', 3);
  one.move('tunnelsOpen', 1);
  one.set('snapshotVersion', 8);
  other.judged('refuse', 'sealed');
  other.total('twin', 5);
  other.move('tunnelsOpen', 1);
  other.set('snapshotVersion', 7);
  const sum = Metrics.sum(memory.map(shared => new Metrics(shared)));
  t.equal(sum.rule('sealed'), 2);
  t.equal(sum.gauge('tunnelsOpen'), 2);
  t.equal(sum.gauge('snapshotVersion'), 7);
  t.match(sum.totals('twin'), { count: 2, sumMs: 8 });
  one.clearGauges();
  t.equal(one.gauge('tunnelsOpen'), 0);
  t.equal(one.rule('sealed'), 1, 'counters go on');
  t.end();
});

t.test('the text is what Prometheus reads: each name has help and type, buckets are cumulative', t => {
  const metrics = new Metrics();
  metrics.total('egress', 0.5);
  metrics.total('egress', 70_000);
  metrics.answered(204);
  metrics.failed('tls');
  const text = metricsText(metrics, 'e1"\n');
  t.match(text, 'wrld_proxy_responses_total{class="2xx"} 1\n');
  t.match(text, 'wrld_proxy_upstream_failures_total{stage="tls"} 1\n');
  t.match(text, 'wrld_proxy_request_seconds_bucket{decision="egress",le="0.0005"} 1\n');
  t.match(text, 'wrld_proxy_request_seconds_bucket{decision="egress",le="65.536"} 1\n');
  t.match(text, 'wrld_proxy_request_seconds_bucket{decision="egress",le="+Inf"} 2\n');
  t.match(text, 'wrld_proxy_request_seconds_sum{decision="egress"} 70.0005\n');
  t.match(text, 'wrld_proxy_snapshot_info{epoch="e1"} 1\n');
  const typed = new Set(
    [...text.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram)$/gm)].map(([, name]) => name),
  );
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('# ')) continue;
    const name = /^([a-z_]+)(?:\{[a-z_]+="[^"]*"(?:,le="[^"]+")?\})? [\d.e+-]+$/.exec(line)?.[1];
    t.ok(name !== undefined && typed.has(name.replace(/_seconds_(bucket|sum|count)$/, '_seconds')), line);
  }
  t.end();
});
