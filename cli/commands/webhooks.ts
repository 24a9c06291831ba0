// `wrld world webhooks`: what the twins sent to the endpoints that apps named, and one of them once more.
import type { Webhook, WebhookPage, WholeWebhook } from '../../control/world/work/webhooks.ts';
import type { Command } from '../command.ts';
import { instantText, type Output, table } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';
import { told } from '../story-text.ts';

/** `stripe:delivery:12`, as the page and the log have it, or `stripe:12`. */
const ID = /^([a-z0-9-]+):(?:delivery:)?([1-9]\d{0,14})$/;

export const worldWebhooks: Command = {
  words: ['world', 'webhooks'],
  summary: 'the webhooks that the twins sent, newest first, or one with its attempts',
  usage: `[<id>] [--failed] [--limit <number>] [--before <cursor>] ${REACH_USAGE}`,
  flags: {
    failed: { type: 'switch', does: 'those alone whose last attempt failed' },
    limit: { type: 'value', value: '<number>', does: 'of a page: 1 to 100, 20 unless given' },
    before: { type: 'value', value: '<cursor>', does: 'the page after the one that ended with this cursor' },
    ...REACH_FLAGS,
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world webhooks --failed', 'what the app did not take'],
    ['wrld world webhooks stripe:12', 'one: its attempts, its signature, the body that was sent'],
    ['wrld world webhooks resend stripe:12', 'the same event to the same endpoint once more'],
  ],
  run: async (given, around) => {
    const { output } = around;
    const [named] = given.operands;
    if (named !== undefined) {
      const place = placeOf(named);
      if (place === null) return noId(output, 'world webhooks', named);
      return askWorld<WholeWebhook>(
        'world webhooks',
        given,
        around,
        ({ client, own }) => client.get(own(`webhooks/${place}`)),
        webhook => show(output, webhook),
      );
    }
    const query = new URLSearchParams(given.switches.has('failed') ? { failed: 'true' } : {});
    for (const name of ['limit', 'before']) {
      const value = given.values.get(name);
      if (value !== undefined) query.set(name, value);
    }
    return askWorld<WebhookPage>(
      'world webhooks',
      given,
      around,
      ({ client, own }) => client.get(own(`webhooks?${query}`)),
      ({ webhooks, next }) => {
        if (webhooks.length === 0) output.line(output.ink('dim', 'No webhooks.'));
        else
          for (const line of table(
            output,
            ['id', 'at', 'state', 'came of it', 'attempts', 'next', 'to', 'event'],
            webhooks.map(cells),
          ))
            output.line(line);
        if (next !== null) output.line(output.ink('dim', `more: --before ${next}`));
      },
    );
  },
};

export const worldWebhooksResend: Command = {
  words: ['world', 'webhooks', 'resend'],
  summary: 'send a webhook once more: the same event to the same endpoint',
  usage: `<id> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world webhooks resend stripe:12', 'an attempt like any other; the log tells of it']],
  run: async (given, around) => {
    const { output } = around;
    const [named] = given.operands;
    if (named === undefined) {
      output.error(
        'wrld world webhooks resend needs a webhook’s id, which wrld world webhooks lists: stripe:12',
      );
      return 2;
    }
    const place = placeOf(named);
    if (place === null) return noId(output, 'world webhooks resend', named);
    return askWorld<Webhook>(
      'world webhooks resend',
      given,
      around,
      ({ client, own }) => client.send('POST', own(`webhooks/${place}/resend`), {}),
      ({ event, endpoint }) => {
        output.line(`${told(event.type)} goes to ${told(endpoint.url)} once more.`);
        output.line(output.ink('dim', `What comes of it: wrld world webhooks ${named}`));
      },
    );
  },
};

const placeOf = (named: string): string | null => {
  const id = ID.exec(named);
  return id === null ? null : `${id[1]}/${id[2]}`;
};

const noId = (output: Output, command: string, named: string): number => {
  output.error(
    `wrld ${command}: ${told(named)} is no webhook’s id: stripe:12, as wrld world webhooks lists them`,
  );
  return 2;
};

const shortId = (id: string): string => id.replace(':delivery:', ':');

type Outcome = { readonly status?: number; readonly error?: string };

const outcome = ({ status, error }: Outcome): string =>
  status === undefined ? told(error ?? 'no answer') : `answered ${status}`;

const cells = ({ id, event, text, endpoint, state, attempts, last, nextAt }: Webhook): string[] => [
  shortId(id),
  last === undefined ? '' : instantText(last.at),
  state,
  last === undefined ? '' : outcome(last),
  String(attempts),
  nextAt === null ? '' : instantText(nextAt),
  told(endpoint.url),
  told(text ?? event.type),
];

function show(output: Output, webhook: WholeWebhook): void {
  const { id, event, text, endpoint, state, nextAt, cause, tries, headers, body } = webhook;
  output.line(`${output.ink('bold', told(text ?? event.type))}  ${shortId(id)}`);
  output.line(
    `${state}${nextAt === null ? '' : `, next attempt at ${instantText(nextAt)}`}, to ${told(endpoint.url)}`,
  );
  output.line(`event ${told(event.id)}${cause === null ? '' : `, caused by ${cause}`}`);
  for (const { at, ms, signed, signature, answer, ...came } of tries) {
    output.line('');
    output.line(`${instantText(at)}  ${outcome(came)}, ${Math.round(ms)} ms, signature: ${signature}`);
    for (const { name, value } of signed)
      output.line(`  ${told(value === null ? name : `${name}: ${value}`)}`);
    if (answer !== undefined)
      output.line(`  the answer begins: ${told(answer.replaceAll(/\s+/g, ' ').trim())}`);
  }
  output.line('');
  for (const { name, value } of headers) output.line(told(`${name}: ${value}`));
  output.line('');
  output.line(
    body === null ? output.ink('dim', 'What was sent is kept no more.') : body.replaceAll(ODD, '�'),
  );
}

/** What `told` leaves out, of a text with lines of its own. */
const ODD = /[^\P{Cc}\n\t]/gu;
