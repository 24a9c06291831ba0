// What one judgement costs with 10, 1,000 and 100,000 grants. It must not grow with them.
import type { Ask } from '../../policy/ask.ts';
import { parseAuthority } from '../../policy/authority.ts';
import { decide } from '../../policy/decide.ts';
import { DEFAULT_RUN } from '../../policy/run.ts';
import { compileSnapshot, type Snapshot } from '../../policy/snapshot.ts';
import type { Table } from '../report.ts';
import { benchSnapshot, manyGrants } from '../snapshot.ts';
import { nanosecondsEach } from './timing.ts';

const GRANTS = [10, 1_000, 100_000] as const;
/** Asks in rotation: enough that no inline cache or branch predictor knows the next. */
const ASKS = 512;

export function measureDecide(): Table {
  const rows = GRANTS.map(row);
  return {
    title: 'One decide(), ns; compiling the snapshot, ms',
    head: [
      'grants',
      'granted read',
      'granted write',
      'refused, path not granted',
      'refused, host unknown',
      'compile ms',
    ],
    rows,
    figures: {
      decideNs: Math.max(
        ...rows
          .at(-1)!
          .slice(1, 3)
          .map(cell => Number(cell.replaceAll(',', ''))),
      ),
    },
  };
}

function row(count: number): string[] {
  const grants = manyGrants(count);
  const document = benchSnapshot({ version: 1, egress: grants, writes: grants, pinned: [] });
  const startedAt = performance.now();
  const compiled = compileSnapshot(document);
  const compileMs = performance.now() - startedAt;
  if (!compiled.ok) throw new Error(compiled.why);
  const { snapshot } = compiled;
  const pick = (nth: number): string => grants[Math.floor((nth * count) / ASKS)]!;
  const granted = (method: string): Ask[] => asks(nth => ask(method, pick(nth)));
  const cost = (list: readonly Ask[], expected: string): string =>
    Math.round(costOf(list, snapshot, expected)).toLocaleString('en-US');
  return [
    count.toLocaleString('en-US'),
    cost(granted('GET'), 'egress'),
    cost(granted('POST'), 'egress'),
    cost(
      asks(nth =>
        ask('GET', `https://api${1 + 2 * Math.floor((nth * count) / ASKS / 20)}.vendor.test/v2/other`),
      ),
      'refuse',
    ),
    cost(
      asks(nth => ask('GET', `https://host${nth}.elsewhere.test/v1/things`)),
      'refuse',
    ),
    compileMs.toFixed(1),
  ];
}

function asks(make: (nth: number) => Ask): Ask[] {
  return Array.from({ length: ASKS }, (_, nth) => make(nth));
}

function ask(method: string, url: string): Ask {
  const [, host = '', path = ''] = /^https:\/\/([^/]+)(.*)$/.exec(url) ?? [];
  return {
    method,
    scheme: 'https',
    authority: parseAuthority(host, 443),
    path: path === '' ? '/' : path.endsWith('/') ? `${path}leaf?page=2` : path,
    transport: 'http1',
    run: DEFAULT_RUN,
    guest: false,
  };
}

/** Throws when a decision is not the one this case is about: a fast wrong answer is no measure. */
function costOf(list: readonly Ask[], snapshot: Snapshot, expected: string): number {
  for (const one of list) {
    const { to } = decide(one, snapshot);
    if (to !== expected) throw new Error(`${one.method} ${one.path} was decided ${to}, not ${expected}`);
  }
  let kept = 0;
  const each = nanosecondsEach(ASKS, () => {
    for (const one of list) if (decide(one, snapshot).to === expected) kept++;
  });
  if (kept === 0) throw new Error('nothing was decided');
  return each;
}
