// `wrld world changeset rules`: what a changeset takes to be deployed (2.13, 4.5).
import type { ChangesetRules } from '../../control/world/changesets/readiness.ts';
import type { Command } from '../command.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';

const WORDS = 'world changeset rules';

type Rules = { readonly changesets: ChangesetRules };

export const worldChangesetRules: Command = {
  words: ['world', 'changeset', 'rules'],
  summary: 'what a changeset takes to be deployed',
  usage: `[--approvals <count>] [--summary on|off] ${REACH_USAGE}`,
  flags: {
    approvals: { type: 'value', value: '<count>', does: 'how many persons must sign; 0: none' },
    summary: {
      type: 'value',
      value: 'on|off',
      does: 'on: the message of what is cut is made of what was done',
    },
    ...REACH_FLAGS,
  },
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world changeset rules', 'the rules as they are'],
    ['wrld world changeset rules --approvals 2', 'two persons sign, neither of them its owner'],
  ],
  notes: ['A key changes no rules: it takes the world’s own token.'],
  run: async (given, around) => {
    const { output } = around;
    const read = rulesOf(given.values);
    if (!read.ok) {
      output.error(`wrld ${WORDS}: ${read.why}`);
      return 2;
    }
    return askWorld<Rules>(
      WORDS,
      given,
      around,
      async ({ client, own }) => {
        const kept = await client.get(own('rules'));
        if (read.rules === null || !kept.ok || kept.status !== 200) return kept;
        const { changesets } = kept.body as Rules;
        return client.send('PUT', own('rules'), { changesets: { ...changesets, ...read.rules } });
      },
      ({ changesets: { approvals = 0, summary = false } }) => {
        output.line(`approvals  ${approvals === 0 ? 'none is needed' : `${approvals} persons`}`);
        output.line(`summary    ${summary ? 'made of what was done' : 'as its author writes it'}`);
      },
    );
  },
};

type Read =
  /** Null: they are only to be shown. */
  { readonly ok: true; readonly rules: ChangesetRules | null } | { readonly ok: false; readonly why: string };

/** The world says which counts it takes. */
function rulesOf(values: ReadonlyMap<string, string>): Read {
  const approvals = values.get('approvals');
  const summary = values.get('summary');
  if (approvals === undefined && summary === undefined) return { ok: true, rules: null };
  if (approvals !== undefined && !/^\d{1,6}$/.test(approvals))
    return { ok: false, why: `--approvals takes a count of persons, and not ${JSON.stringify(approvals)}` };
  if (summary !== undefined && summary !== 'on' && summary !== 'off')
    return { ok: false, why: `--summary is on or off, and not ${JSON.stringify(summary)}` };
  return {
    ok: true,
    rules: {
      ...(approvals === undefined ? {} : { approvals: Number(approvals) }),
      ...(summary === undefined ? {} : { summary: summary === 'on' }),
    },
  };
}
