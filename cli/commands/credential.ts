// `wrld world credential`: what is shown to real vendors, sealed (2.9). It goes in, and never comes out again.
import type { RewrapResult, SealState } from '../../control/world/seals/seals.ts';
import type { Command } from '../command.ts';
import { instantText, type Output, table } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE, type ReachedWorld } from '../reached-world.ts';
import { readSecrets } from '../secret-input.ts';
import type { Answered } from '../world-client.ts';

type Named = { readonly vendor: string } & SealState;

const pathOf = (vendor: string): string => `twins/${encodeURIComponent(vendor)}/credential`;

export const worldCredential: Command = {
  words: ['world', 'credential'],
  summary: 'which credentials of real vendors are sealed, and for where',
  usage: REACH_USAGE,
  flags: REACH_FLAGS,
  operandsMax: 0,
  takesCommand: false,
  examples: [['wrld world credential', 'of every twin and link; never the credentials themselves']],
  run: (given, around) =>
    askWorld<{ readonly credentials: readonly Named[] }>(
      'world credential',
      given,
      around,
      credentialsOf,
      ({ credentials }) => {
        const { output } = around;
        const rows = credentials.map(each => [
          each.vendor,
          each.sealed ? each.boundTo : '–',
          each.sealed ? instantText(each.at) : 'nothing is sealed',
          each.sealed ? (each.sealedBy === 'vault' ? 'by the vault' : 'by the host’s key') : '',
        ]);
        for (const line of table(output, ['vendor', 'opens for', 'sealed', ''], rows)) output.line(line);
      },
    ),
};

/** Of every twin and link, in one document. */
const credentialsOf = async ({ client, own }: ReachedWorld): Promise<Answered> => {
  const twins = await client.get(own('twins'));
  if (!twins.ok || twins.status !== 200) return twins;
  const links = await client.get(own('links'));
  if (!links.ok || links.status !== 200) return links;
  const names = [
    ...(twins.body as { twins: readonly { twin: string }[] }).twins.map(({ twin }) => twin),
    ...(links.body as { links: readonly { name: string }[] }).links.map(({ name }) => name),
  ];
  const credentials: object[] = [];
  for (const vendor of new Set(names)) {
    const state = await client.get(own(pathOf(vendor)));
    if (!state.ok || state.status !== 200) return state;
    credentials.push({ vendor, ...(state.body as object) });
  }
  return { ok: true, status: 200, body: { credentials } };
};

export const worldCredentialSet: Command = {
  words: ['world', 'credential', 'set'],
  summary: 'seal a vendor’s real credential, typed without being shown or by standard input',
  usage: `<vendor> [--header <name>] [--signing-secret] ${REACH_USAGE}`,
  flags: {
    header: {
      type: 'value',
      value: '<name>',
      does: 'what is given is the value of this header; unless given, it is the vendor’s key, shown in the vendor’s own way',
    },
    'signing-secret': {
      type: 'switch',
      does: 'ask for a second secret besides: what the vendor signs its webhooks with',
    },
    ...REACH_FLAGS,
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world credential set stripe', 'asks for the key, and shows nothing of it'],
    ['pass stripe/live | wrld world credential set stripe', 'from a password store'],
  ],
  notes: [
    'It is sealed for the origin of the twin’s root, else of the link of that name, and opens for no other: after either is pointed elsewhere, set it again.',
  ],
  run: async (given, around) => {
    const [vendor] = given.operands;
    const { output } = around;
    if (vendor === undefined) {
      output.error('wrld world credential set needs a vendor: wrld world credential set stripe');
      return 2;
    }
    const header = given.values.get('header');
    const questions = [
      header === undefined ? `The credential of ${vendor}` : `The header ${header} of ${vendor}`,
      ...(given.switches.has('signing-secret') ? [`The signing secret of ${vendor}`] : []),
    ];
    const read = await readSecrets(process, questions);
    if (!read.ok) {
      output.error(`wrld world credential set: ${read.why}`);
      return 2;
    }
    const [credential, signingSecret] = read.secrets;
    return askWorld<SealState>(
      'world credential set',
      given,
      around,
      ({ client, own }) =>
        client.send('PUT', own(pathOf(vendor)), {
          ...(header === undefined ? { credential } : { headers: { [header]: credential } }),
          ...(signingSecret === undefined ? {} : { signingSecret }),
        }),
      state => {
        if (state.sealed) output.line(`${vendor}: sealed for ${state.boundTo}`);
      },
    );
  },
};

export const worldCredentialRewrap: Command = {
  words: ['world', 'credential', 'rewrap'],
  summary: 'after the vault’s key was rotated: wrap every credential under its newest version',
  usage: REACH_USAGE,
  flags: REACH_FLAGS,
  operandsMax: 0,
  takesCommand: false,
  examples: [['wrld world credential rewrap', 'until all are current, which need no older version']],
  run: (given, around) =>
    askWorld<Extract<RewrapResult, { ok: true }>>(
      'world credential rewrap',
      given,
      around,
      ({ client, own }) => client.send('POST', own('credentials/rewrap'), undefined, { patient: true }),
      result => printRewrap(around.output, result),
    ),
};

type Left = Extract<RewrapResult, { ok: true }>['left'][number];

const LEFT_WORDS: { readonly [why in Left['why']]: string } = {
  'host-key': 'a host’s key wraps it; the vault takes it over when it is next opened',
  'other-key': 'another vault’s key wraps it; set it again',
  'no-version': 'its version cannot be read; set it again',
  'sealed-again': 'it was set again meanwhile; rewrap once more',
  unreadable: 'it does not open; set it again',
};

function printRewrap(
  output: Output,
  { rewrapped, current, left }: Extract<RewrapResult, { ok: true }>,
): void {
  output.line(`${rewrapped} wrapped again, ${current} current already`);
  for (const { vendor, why } of left) output.line(`${vendor}: left as it was: ${LEFT_WORDS[why]}`);
  if (rewrapped > 0) output.line(output.ink('dim', 'Rewrap again to see all of them current.'));
}
