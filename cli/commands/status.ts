// `wrld world status`: what is up, and what happened to it lately.
import { readIfThere } from '../../control/node/files.ts';
import type { WorldPaths } from '../../control/node/paths.ts';
import type { ControlStatus, ProxyStatus } from '../../control/node/status-file.ts';
import type { RefusalRecord } from '../../policy/refusal.ts';
import type { Command } from '../command.ts';
import { REFUSALS_SHOWN_MAX } from '../limits.ts';
import { type Output, table, wrap } from '../output.ts';
import { readUp, type UpWorld } from '../up-world.ts';
import { worldClient } from '../world-client.ts';
import { findFolder } from '../world-folder.ts';

/** What `--json` prints for a world that is up. */
type Status = {
  readonly up: true;
  /** `<org>/<world>` */
  readonly name: string;
  readonly baseUrl: string;
  readonly worldUrl: string;
  /** Null where the world is served without a proxy. */
  readonly proxyUrl: string | null;
  readonly caFile: string;
  readonly pid: number;
  readonly proxyPid: number | null;
  readonly sandbox: boolean;
  readonly clock: { readonly at: string; readonly frozen: boolean };
  readonly twins: readonly {
    readonly twin: string;
    readonly position: number;
    readonly resources: readonly { readonly type: string; readonly count: number }[];
  }[];
  readonly config: ControlStatus['config'] | null;
  readonly proxy: ControlStatus['proxy'] | null;
  /** Newest first. */
  readonly refusals: readonly { readonly at: string; readonly run: string; readonly record: RefusalRecord }[];
};

export const worldStatus: Command = {
  words: ['world', 'status'],
  summary: 'what is up: addresses, clock, twins, config, refusals',
  usage: '[--json]',
  flags: { json: { type: 'switch', does: 'print it as one JSON document, for programs' } },
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world status', 'exits 1 when no world is up'],
    ['wrld world status --json | jq .refusals', 'what was refused lately, with each record'],
  ],
  run: async (given, { output, folder }) => {
    const json = given.switches.has('json');
    const found = await findFolder(folder);
    if (!found.ok) {
      output.error(`wrld world status: ${found.why}`);
      return 2;
    }
    const up = await readUp(found.paths);
    if (up === null) {
      if (json) output.json({ up: false });
      else output.error('No world is up in this folder. Start it: wrld world up');
      return 1;
    }
    const status = await readStatus(found.paths, up);
    if (!status.ok) {
      output.error(`wrld world status: ${status.why}`);
      return 1;
    }
    if (json) output.json(status.status);
    else show(output, status.status);
    return 0;
  },
};

type ReadStatus =
  | { readonly ok: true; readonly status: Status }
  | { readonly ok: false; readonly why: string };

async function readStatus(paths: WorldPaths, up: UpWorld): Promise<ReadStatus> {
  const name = new URL(up.worldUrl).pathname.slice(1);
  const client = worldClient(up.baseUrl, up.token);
  const [clock, map, refusals] = await Promise.all(
    ['clock', 'map', 'refusals'].map(path => client.get(`/-/${name}/${path}`)),
  );
  for (const answered of [clock, map, refusals]) {
    if (!answered?.ok) return { ok: false, why: `the world does not answer: ${answered?.why}` };
    if (answered.status !== 200) return { ok: false, why: `the world answers ${answered.status}` };
  }
  const bodyOf = <T>(answered: typeof clock): T => (answered as { readonly body: T }).body;
  const control = parseControlStatus(await readIfThere(paths.status));
  const { token: _token, forRun: _forRun, ...where } = up;
  return {
    ok: true,
    status: {
      up: true,
      name,
      ...where,
      proxyPid: control?.proxy?.pid ?? where.proxyPid,
      clock: bodyOf<Status['clock']>(clock),
      twins: bodyOf<{ readonly twins: Status['twins'] }>(map).twins,
      config: control?.config ?? null,
      proxy: control?.proxy ?? null,
      refusals: bodyOf<{ readonly refusals: Status['refusals'] }>(refusals).refusals,
    },
  };
}

function parseControlStatus(text: string | null): ControlStatus | null {
  try {
    return text === null ? null : (JSON.parse(text) as ControlStatus);
  } catch {
    return null;
  }
}

function show(output: Output, status: Status): void {
  const fact = (name: string, value: string): void => output.line(`  ${name.padEnd(9)}${value}`);
  output.line(output.ink('bold', status.name) + (status.sandbox ? output.ink('yellow', '  sandbox') : ''));
  fact('World', status.worldUrl);
  if (status.proxyUrl !== null)
    fact('Proxy', `${status.proxyUrl}${status.proxy === null ? '' : `  ${proxyText(status.proxy)}`}`);
  fact('CA', status.caFile);
  fact('Process', `${status.pid}${status.proxyPid === null ? '' : `, proxy ${status.proxyPid}`}`);
  fact('Clock', `${status.clock.at}${status.clock.frozen ? '  (set)' : '  (wall clock)'}`);
  if (status.config !== null) showConfig(output, status.config, fact);
  if (status.twins.length > 0) {
    output.line();
    const rows = status.twins.map(({ twin, position, resources }) => [
      twin,
      String(position),
      resources.map(({ type, count }) => `${count} ${type}`).join(', '),
    ]);
    for (const line of table(output, ['twin', 'position', 'holds'], rows)) output.line(`  ${line}`);
  }
  if (status.refusals.length > 0) {
    output.line();
    output.line(`  ${output.ink('bold', 'Refused lately')}`);
    for (const { at, record } of status.refusals.slice(0, REFUSALS_SHOWN_MAX)) {
      output.line(`  ${at.slice(11, 19)}  ${output.ink('red', record.rule)}  ${record.target}`);
      for (const line of wrap(record.reason, output.columns, '            '))
        output.line(output.ink('dim', line));
    }
    const more = status.refusals.length - REFUSALS_SHOWN_MAX;
    if (more > 0) output.line(output.ink('dim', `  and ${more} more: wrld world status --json`));
  }
}

function proxyText({ state, restarts, policy }: ProxyStatus): string {
  const times = restarts === 0 ? '' : `, restarted ${restarts} ${restarts === 1 ? 'time' : 'times'}`;
  return `${state}${times}${policy === null ? ', no policy yet' : `, policy ${policy}`}`;
}

function showConfig(
  output: Output,
  config: ControlStatus['config'],
  fact: (name: string, value: string) => void,
): void {
  if (config.fault === null) fact('Config', `in force since ${config.inForceSince}`);
  else {
    fact(
      'Config',
      output.ink('red', `cannot be used as it stands; the one of ${config.inForceSince} is in force`),
    );
    for (const line of config.fault.split('\n')) output.line(`           ${line}`);
  }
  for (const need of config.atRestart) fact('', output.ink('yellow', `at the next start: ${need}`));
}
