// `wrld world root`: the real vendor behind a twin (2.8), and which side is taken where both changed a record.

import type { Conflict } from '../../control/world/roots/conflicts.ts';
import type { Root } from '../../control/world/roots/root.ts';
import type { TwinStatus } from '../../control/world/roots/status.ts';
import type { Command, Surround } from '../command.ts';
import { CONFLICTS_TOLD_MAX } from '../limits.ts';
import { instantText, type Output } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';

export const worldRoot: Command = {
  words: ['world', 'root'],
  summary: 'the real vendor behind a twin: where it is, and how far it is copied',
  usage: `<vendor> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world root stripe', 'its root, the last refresh, what is in conflict'],
    [
      'wrld world root set stripe https://api.stripe.com',
      'then seal a credential, and: wrld world refresh stripe',
    ],
  ],
  run: async (given, around) => {
    const [vendor] = given.operands;
    if (vendor === undefined) return missing(around, 'root', 'a vendor: wrld world root stripe');
    return askWorld<TwinStatus>(
      'world root',
      given,
      around,
      ({ client, own }) => client.get(own(`twins/${encodeURIComponent(vendor)}/status`)),
      status => printStatus(around.output, status),
    );
  },
};

export const worldRootSet: Command = {
  words: ['world', 'root', 'set'],
  summary: 'put a real vendor behind a twin',
  usage: `<vendor> <url> [--deploy auto|manual|never] [--every <duration>|never] [--at-most <duration>] ${REACH_USAGE}`,
  flags: {
    deploy: {
      type: 'value',
      value: '<how>',
      does: '`auto` performs what is pushed at once, `manual` (unless given) when somebody deploys it, `never` not at all',
    },
    every: {
      type: 'value',
      value: '<duration>',
      does: 'how often it is copied: 15m; `never`: only when asked',
    },
    'at-most': { type: 'value', value: '<duration>', does: 'no more often than this, unless forced: 1m' },
    ...REACH_FLAGS,
  },
  operandsMax: 2,
  takesCommand: false,
  examples: [
    ['wrld world root set stripe https://api.stripe.com --every 15m', 'copied every quarter of an hour'],
    [
      'wrld world root set stripe http://127.0.0.1:4000/acme/real/stripe',
      'another world in the vendor’s place',
    ],
  ],
  notes: ['What was seen of another root is forgotten: the first pass over this one looks at everything.'],
  run: async (given, around) => {
    const [vendor, url] = given.operands;
    if (vendor === undefined || url === undefined)
      return missing(
        around,
        'root set',
        'a vendor and a URL: wrld world root set stripe https://api.stripe.com',
      );
    const { values } = given;
    const [deploy, every, atMost] = ['deploy', 'every', 'at-most'].map(name => values.get(name));
    const refresh = {
      ...(every === undefined ? {} : { every: every === 'never' ? null : every }),
      ...(atMost === undefined ? {} : { atMost }),
    };
    const body = { url, ...(deploy === undefined ? {} : { deploy }), refresh };
    return put(vendor, body, 'world root set', given, around);
  },
};

export const worldRootClear: Command = {
  words: ['world', 'root', 'clear'],
  summary: 'take the real vendor away from a twin; what was copied stays',
  usage: `<vendor> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world root clear stripe', 'it is copied no more']],
  run: async (given, around) => {
    const [vendor] = given.operands;
    if (vendor === undefined) return missing(around, 'root clear', 'a vendor: wrld world root clear stripe');
    return put(vendor, null, 'world root clear', given, around);
  },
};

export const worldRootTake: Command = {
  words: ['world', 'root', 'take'],
  summary: 'resolve what both the world and a root changed',
  usage: `<vendor> theirs|ours [<type>/<id>] ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 3,
  takesCommand: false,
  examples: [
    ['wrld world root take stripe theirs', 'every conflict as the vendor has it'],
    [
      'wrld world root take stripe ours customer/cus_1',
      'one record as the world has it; a deploy brings it there',
    ],
  ],
  notes: ['Writing the vendor’s value into the record in the world resolves its conflict too.'],
  run: async (given, around) => {
    const [vendor, take, named] = given.operands;
    const parts = named === undefined ? null : /^([^/]+)\/(.+)$/.exec(named);
    if (
      vendor === undefined ||
      (take !== 'theirs' && take !== 'ours') ||
      (named !== undefined && parts === null)
    )
      return missing(
        around,
        'root take',
        'a vendor and a side: wrld world root take stripe theirs [customer/cus_1]',
      );
    const record = parts === null ? {} : { type: parts[1], id: parts[2] };
    return askWorld<{ readonly resolved: number }>(
      'world root take',
      given,
      around,
      ({ client, own }) =>
        client.send('POST', own(`twins/${encodeURIComponent(vendor)}/conflicts`), { take, ...record }),
      ({ resolved }) => around.output.line(`${resolved} ${resolved === 1 ? 'record' : 'records'} resolved.`),
    );
  },
};

type Given = Parameters<Command['run']>[0];

const put = (
  vendor: string,
  root: unknown,
  command: string,
  given: Given,
  around: Surround,
): Promise<number> =>
  askWorld<Root | null>(
    command,
    given,
    around,
    ({ client, own }) => client.send('PUT', own(`twins/${encodeURIComponent(vendor)}/root`), root),
    set => printRoot(around.output, vendor, set),
  );

const printRoot = (output: Output, vendor: string, root: Root | null): void => {
  if (root === null)
    return output.line(`${vendor} has no root. Set one: wrld world root set ${vendor} https://…`);
  const { url, deploy, refresh } = root;
  const pace = refresh.every === null ? 'only when asked' : `every ${refresh.every}`;
  output.line(`${output.ink('bold', vendor)}  ${url}`);
  output.line(`  Deploys   ${deploy}`);
  output.line(`  Copied    ${pace}, at most once in ${refresh.atMost}`);
};

const printStatus = (output: Output, { twin, root, credential, refresh }: TwinStatus): void => {
  printRoot(output, twin, root);
  if (root === null) return;
  const { lastAt, nextAt, progress, fault, conflicts } = refresh;
  output.line(`  Credential ${credential.sealed ? 'sealed' : output.ink('yellow', 'none is sealed')}`);
  const next = nextAt === null ? '' : `, next ${instantText(nextAt)}`;
  output.line(`  Last      ${lastAt === null ? 'never' : instantText(lastAt)}${next}`);
  if (progress !== null)
    output.line(`  Now       ${progress.done} records since ${instantText(progress.since)}`);
  if (fault !== null)
    output.line(`  ${output.ink('red', 'Fault')}     ${instantText(fault.at)}  ${fault.message}`);
  if (conflicts.length > 0) printConflicts(output, twin, conflicts);
};

const printConflicts = (output: Output, twin: string, conflicts: readonly Conflict[]): void => {
  output.line();
  output.line(`  ${output.ink('bold', 'In conflict')}  (here → there)`);
  for (const { type, id, field, ours, theirs } of conflicts.slice(0, CONFLICTS_TOLD_MAX))
    output.line(`  ${type} ${id} ${field}  ${JSON.stringify(ours)} → ${JSON.stringify(theirs)}`);
  const more = conflicts.length - CONFLICTS_TOLD_MAX;
  if (more > 0) output.line(output.ink('dim', `  and ${more} more: --json`));
  output.line(`  Resolve: wrld world root take ${twin} theirs|ours [<type>/<id>]`);
};

const missing = ({ output }: Surround, command: string, what: string): number => {
  output.error(`wrld world ${command} needs ${what}`);
  return 2;
};
