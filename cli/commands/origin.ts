// `wrld world origin`, `pull` and `push`: the world whose history this one shares (4.7).
import type { ChangesetRecord } from '../../control/world/changesets/changesets.ts';
import type { Conflict, Resolution } from '../../control/world/origin/conflict.ts';
import type { OriginStatus, Pulled } from '../../control/world/origin/origin.ts';
import type { Command, Surround } from '../command.ts';
import { instantText, type Output } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';
import { readSecrets } from '../secret-input.ts';
import type { Answered } from '../world-client.ts';

type Came = Pulled & { readonly status: OriginStatus };

export const worldOrigin: Command = {
  words: ['world', 'origin'],
  summary: 'the world whose history this one shares, and how far it is from it',
  usage: REACH_USAGE,
  flags: REACH_FLAGS,
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world origin', 'what is ahead, and what is behind'],
    [
      'wrld world origin set https://worlds.example.com/acme/shop',
      'asks for its token, and brings its history in',
    ],
  ],
  run: (given, around) =>
    askWorld<OriginStatus>(
      'world origin',
      given,
      around,
      ({ client, own }) => client.get(own('origin')),
      status => show(around.output, status),
    ),
};

export const worldOriginSet: Command = {
  words: ['world', 'origin', 'set'],
  summary: 'name the origin, and bring its history in',
  usage: `<url> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world origin set https://worlds.example.com/acme/shop', 'asks for its token, which is not shown'],
    ['wrld world origin set https://worlds.example.com/acme/shop < token', 'the token from a file'],
  ],
  notes: [
    'The token is asked for on the terminal or read from standard input, and is never an argument. The world keeps it sealed, for that origin alone.',
  ],
  run: async (given, around) => {
    const [url] = given.operands;
    if (url === undefined) {
      around.output.error(
        'wrld world origin set needs a URL: wrld world origin set https://<host>/<org>/<world>',
      );
      return 2;
    }
    const read = await readSecrets(process, [`the token of ${url}`]);
    if (!read.ok) {
      around.output.error(`wrld world origin set: ${read.why}`);
      return 2;
    }
    return askWorld<Came>(
      'world origin set',
      given,
      around,
      ({ client, own }) =>
        meanwhile(around, 'bringing its history in', () =>
          client.send('PUT', own('origin'), { url, token: read.secrets[0] }, { patient: true }),
        ),
      came => told(around.output, came),
    );
  },
};

export const worldOriginForget: Command = {
  words: ['world', 'origin', 'forget'],
  summary: 'ask the origin no more; the history stays',
  usage: REACH_USAGE,
  flags: REACH_FLAGS,
  operandsMax: 0,
  takesCommand: false,
  examples: [['wrld world origin forget', 'its token is forgotten too']],
  run: (given, around) =>
    askWorld<Came>(
      'world origin forget',
      given,
      around,
      ({ client, own }) => client.send('PUT', own('origin'), null),
      ({ status }) => show(around.output, status),
    ),
};

export const worldPull: Command = {
  words: ['world', 'pull'],
  summary: 'move this world onto what its origin has',
  usage: `[--take <ours|theirs>] ${REACH_USAGE}`,
  flags: {
    take: {
      type: 'value',
      value: '<ours|theirs>',
      does: 'what every conflict comes to; without it they are told and nothing is changed',
    },
    ...REACH_FLAGS,
  },
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world pull', 'this world’s own changes follow what came'],
    ['wrld world pull --take ours', 'where both changed a field, what is here stays'],
  ],
  notes: [
    'Conflicts one by one: POST …/origin/pull { resolve: [{ twin, type, id, field, take }] }, each as `--json` has it.',
  ],
  run: async (given, around) => {
    const take = given.values.get('take');
    if (take !== undefined && take !== 'ours' && take !== 'theirs') {
      around.output.error('wrld world pull: --take is ours or theirs');
      return 2;
    }
    return askWorld<Came>(
      'world pull',
      given,
      around,
      async ({ client, own }) => {
        const pull = (resolve: readonly Resolution[]): Promise<Answered> =>
          meanwhile(around, 'pulling', () =>
            client.send('POST', own('origin/pull'), { resolve }, { patient: true }),
          );
        const first = await pull([]);
        const conflicts = conflictsOf(first);
        if (conflicts.length === 0) return first;
        if (take !== undefined)
          return pull(conflicts.map(({ twin, type, id, field }) => ({ twin, type, id, field, take })));
        if (given.switches.has('json')) around.output.json((first as { readonly body: unknown }).body);
        else for (const conflict of conflicts) around.output.error(lineOf(conflict));
        return first;
      },
      came => told(around.output, came),
    );
  },
};

export const worldPush: Command = {
  words: ['world', 'push'],
  summary: 'push every changeset that the origin has not',
  usage: REACH_USAGE,
  flags: REACH_FLAGS,
  operandsMax: 0,
  takesCommand: false,
  examples: [['wrld world push', 'oldest first, each with its receipts']],
  run: (given, around) =>
    askWorld<{ readonly pushed: readonly ChangesetRecord[]; readonly status: OriginStatus }>(
      'world push',
      given,
      around,
      ({ client, own }) =>
        meanwhile(around, 'pushing', () =>
          client.send('POST', own('origin/push'), undefined, { patient: true }),
        ),
      ({ pushed, status }) => {
        const { output } = around;
        for (const { name, entries, deployed } of pushed) {
          output.line(`${output.ink('bold', name)}  ${entries} entries`);
          for (const { service, actionId, status: settled, externalId = '', reason = '' } of deployed)
            output.line(`  ${service} ${actionId} ${settled} ${externalId}${reason}`.trimEnd());
        }
        show(output, status);
      },
    ),
};

/** Says what is under way while the world does not answer yet. */
const meanwhile = async (
  { output }: Surround,
  what: string,
  work: () => Promise<Answered>,
): Promise<Answered> => {
  output.progress(`${what} …`);
  try {
    return await work();
  } finally {
    output.progress(null);
  }
};

const conflictsOf = (answered: Answered): readonly Conflict[] => {
  if (!answered.ok || answered.status !== 409) return [];
  const { error } = (answered.body ?? {}) as {
    readonly error?: { readonly details?: { readonly conflicts?: readonly Conflict[] } };
  };
  return error?.details?.conflicts ?? [];
};

const lineOf = ({ twin, type, id, field, base, ours, theirs }: Conflict): string =>
  `${twin} ${type} ${id}${field === '' ? '' : ` ${field}`}: was ${shown(base)}, is ${shown(ours)} here and ${shown(theirs)} there`;

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80);

function told(output: Output, { pulled, moved, status }: Came): void {
  const came = Object.entries(pulled).map(([twin, n]) => `${n} of ${twin}`);
  if (came.length === 0) output.line('nothing new at the origin');
  else output.line(`came: ${came.join(', ')}`);
  for (const [twin, n] of Object.entries(moved))
    output.line(`${n} of this world’s own in ${twin} follow them`);
  show(output, status);
}

function show(output: Output, status: OriginStatus): void {
  if (status.origin === null) {
    output.line(output.ink('dim', 'No origin. Name one: wrld world origin set <url>'));
    return;
  }
  const { origin, ahead, behind, asOf } = status;
  output.line(output.ink('bold', origin));
  const lacks = Object.entries(behind).map(([twin, n]) => `${n} of ${twin}`);
  output.line(`ahead: ${ahead.changes} entries, ${ahead.changesets} changesets to push`);
  output.line(
    `behind: ${lacks.length === 0 ? 'nothing' : lacks.join(', ')} (as of ${instantText(asOf ?? 'never')})`,
  );
}
