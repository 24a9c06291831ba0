// What writing a request down costs: its counters and histograms alone, and with its access line to a file.
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { parseAuthority } from '../../policy/authority.ts';
import { DEFAULT_RUN } from '../../policy/run.ts';
import { compileSnapshot } from '../../policy/snapshot.ts';
import { LinesOut } from '../../process/lines-out.ts';
import { Account } from '../../proxy/account.ts';
import { readRequestHead } from '../../proxy/http1/request.ts';
import { Journal, type LineSink } from '../../proxy/journal.ts';
import { judge } from '../../proxy/judge.ts';
import { LineBuffer } from '../../proxy/line-buffer.ts';
import { Metrics } from '../../proxy/metrics.ts';
import type { Table } from '../report.ts';
import { benchSnapshot } from '../snapshot.ts';
import { nanosecondsEach } from './timing.ts';

const REQUESTS = 1_000;
const HOST = 'api.bench.test';

export function measureJournal(folder: string): Table {
  const fd = openSync(join(folder, 'access.log'), 'a');
  const lines = new LineBuffer(LinesOut.to(fd));
  const row = (name: string, sink: LineSink | null): string[] => [
    name,
    Math.round(costOf(sink)).toLocaleString('en-US'),
  ];
  const rows = [row('metrics', null), row('metrics and access line', lines)];
  lines.end();
  closeSync(fd);
  return {
    title: 'A request in the journal, ns; its six looks at the clock included',
    head: ['', 'ns'],
    rows,
  };
}

function costOf(sink: LineSink | null): number {
  const head = readRequestHead(
    `GET /v1/things?x=1 HTTP/1.1\r\nHost: ${HOST}\r\nAccept: */*\r\nUser-Agent: bench/1.0\r\nAuthorization: Bearer sk_test_1\r\n\r\n`,
  );
  const authority = parseAuthority(HOST, 443);
  const compiled = compileSnapshot(benchSnapshot({ version: 1, egress: [`https://${HOST}`], pinned: [] }));
  if (!head.ok || !authority.ok || !compiled.ok) throw new Error('the measured request cannot be read');
  const place = {
    at: 'tunnel',
    scheme: 'https',
    authority,
    run: DEFAULT_RUN,
    guest: false,
    strayName: null,
  } as const;
  const judged = judge(head, place, DEFAULT_RUN, compiled.snapshot, 'http1');
  const journal = new Journal(new Metrics(), sink);
  const account = new Account();
  return nanosecondsEach(REQUESTS, () => {
    for (let nth = 0; nth < REQUESTS; nth++) {
      account.start();
      account.decided();
      account.connected();
      account.answering(200, true);
      account.bytesOut += 1_024;
      journal.request(account, head, judged, 'http1', true);
    }
  });
}
