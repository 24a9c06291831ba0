// `wrld world report`: what was done to which vendor, to be reviewed.
import type { Command } from '../command.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';
import { reportMarkdown } from '../report/markdown.ts';
import type { ToldReport } from '../report/report.ts';

export const worldReport: Command = {
  words: ['world', 'report'],
  summary: 'what was done to which vendor, for a pull request',
  usage: `[--since <instant>|<entry>|<run>] [--run <run>] [--changeset <name>] [--format md|json] ${REACH_USAGE}`,
  flags: {
    since: {
      type: 'value',
      value: '<since>',
      does: 'from there on: an instant of wall time, an entry (stripe:41), a run by its name, or “run” for the newest',
    },
    run: {
      type: 'value',
      value: '<run>',
      does: 'from its beginning to its end, by its name, or “run” for the newest',
    },
    changeset: { type: 'value', value: '<name>', does: 'of this changeset, and of nothing else' },
    format: { type: 'value', value: 'md|json', does: 'Markdown, or one JSON document as --json prints it' },
    ...REACH_FLAGS,
  },
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world report --run run > report.md', 'what the newest run did'],
    ['wrld world report --branch shop-gold-1a2b', 'what was done in a branch, since it left its world'],
    ['wrld world report --changeset gold --format json', 'for programs'],
  ],
  notes: [
    'Records by field, the operations that were asked with how well each is modelled, webhooks, refusals, and what a deploy would ask of the real vendor. Secrets are left out; texts of records make no link, mention or HTML where it is pasted.',
    'Without --since it is of all that the world did, a branch since it left its parent.',
  ],
  run: async (given, around) => {
    const { output } = around;
    const format = given.values.get('format') ?? 'md';
    if (format !== 'md' && format !== 'json') {
      output.error('wrld world report: --format is md or json');
      return 2;
    }
    const query = new URLSearchParams();
    for (const name of ['since', 'run', 'changeset']) {
      const value = given.values.get(name);
      if (value !== undefined) query.set(name, value);
    }
    const asJson = format === 'json' ? new Set([...given.switches, 'json']) : given.switches;
    return askWorld<ToldReport>(
      'world report',
      { ...given, switches: asJson },
      around,
      ({ client, own }) => client.get(own(`report?${query}`)),
      report => output.line(reportMarkdown(report).trimEnd()),
    );
  },
};
