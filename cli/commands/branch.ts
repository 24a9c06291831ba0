// `wrld world branch`: other worlds cloned from this one, to try something in and throw away.
import type { Command } from '../command.ts';
import { instantText, table } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';
import { secondsOf } from '../seconds.ts';

type Branch = {
  readonly name: string;
  readonly from: string;
  readonly at: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
};
type Made = { readonly name: string; readonly expiresAt: string | null };

export const worldBranch: Command = {
  words: ['world', 'branch'],
  summary: 'the world’s branches',
  usage: REACH_USAGE,
  flags: REACH_FLAGS,
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world branch', 'the branches, where each leaves this world and when it ends'],
    [
      'wrld world branch make --label retry',
      'a branch as of now; then: wrld world clock advance 31d --branch <name>',
    ],
  ],
  run: (given, around) =>
    askWorld<{ readonly branches: readonly Branch[] }>(
      'world branch',
      given,
      around,
      ({ client, own }) => client.get(own('branches')),
      ({ branches }) => {
        const { output } = around;
        if (branches.length === 0) {
          output.line(output.ink('dim', 'No branches. Make one: wrld world branch make'));
          return;
        }
        const rows = branches.map(({ name, at, createdAt, expiresAt }) => [
          name,
          instantText(at),
          instantText(createdAt),
          instantText(expiresAt ?? 'never'),
        ]);
        for (const line of table(output, ['branch', 'as of', 'made', 'ends'], rows)) output.line(line);
      },
    ),
};

export const worldBranchMake: Command = {
  words: ['world', 'branch', 'make'],
  summary: 'make a branch: the world as of now or an earlier instant',
  usage: `[--at <instant>] [--live] [--label <label>] [--ttl <time>] ${REACH_USAGE}`,
  flags: {
    at: { type: 'value', value: '<instant>', does: 'the world as it was then; its clock stands there' },
    live: { type: 'switch', does: 'keep this world’s time, instead of a clock that stands (only as of now)' },
    label: { type: 'value', value: '<label>', does: 'part of its name: <world>-<label>-<4 hex>' },
    ttl: {
      type: 'value',
      value: '<time>',
      does: 'remove it by itself after that long: 90s, 1h, 30d, or seconds',
    },
    ...REACH_FLAGS,
  },
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world branch make --label retry --ttl 1h', 'gone in an hour'],
    ['wrld world branch make --at 2026-03-01T00:00:00Z', 'the world as it was then'],
  ],
  run: async (given, around) => {
    const { output } = around;
    const { values, switches } = given;
    const at = values.get('at');
    const ttl = secondsOf(values.get('ttl'));
    if (ttl === null) {
      output.error('wrld world branch make: --ttl takes 60s to 30d, such as 90s, 15m, 1h or 7d, or seconds');
      return 2;
    }
    const label = values.get('label');
    const body = {
      ...(at === undefined ? {} : { at: { instant: at } }),
      ...(ttl === undefined ? {} : { ttl }),
      ...(switches.has('live') ? { live: true } : {}),
      ...(label === undefined ? {} : { label }),
    };
    return askWorld<Made>(
      'world branch make',
      given,
      around,
      ({ client, own }) => client.send('POST', own('branches'), body),
      ({ name, expiresAt }) => {
        output.line(output.ink('bold', name) + (expiresAt === null ? '' : `  until ${expiresAt}`));
        const world = name.split('/').at(-1);
        output.line(output.ink('dim', `Run a command in it:  wrld world run --branch ${world} -- <command>`));
        output.line(output.ink('dim', `Look into it:         wrld world timeline --branch ${world}`));
      },
    );
  },
};

export const worldBranchRemove: Command = {
  words: ['world', 'branch', 'remove'],
  summary: 'remove a branch, with everything in it',
  usage: `<name> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world branch remove shop-retry-1a2b', 'its rows and files are gone']],
  run: async (given, around) => {
    const { output } = around;
    const [branch] = given.operands;
    if (branch === undefined) {
      output.error('wrld world branch remove needs a branch; see: wrld world branch');
      return 2;
    }
    return askWorld(
      'world branch remove',
      given,
      around,
      ({ client, own, name }) => {
        const whole = branch.includes('/') ? branch : `${name.split('/')[0]}/${branch}`;
        return client.send('DELETE', own(`branches/${whole.split('/').map(encodeURIComponent).join('/')}`));
      },
      () => output.line(`${branch} is gone.`),
    );
  },
};
