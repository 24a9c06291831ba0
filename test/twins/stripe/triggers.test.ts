// Trigger fixtures of others, where they are at hand: requests in order, then the event each file is named after.
// They are no part of the project, so their absence is a visible skip.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import type { Answer, StripeWorld } from '../../kit/stripe-world.ts';
import { openStripeWorld } from '../../kit/stripe-world.ts';

const FOLDER = new URL('../../../../shared/fixtures/stripe-triggers/', import.meta.url);

type Step = {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly params?: { readonly [name: string]: unknown };
  readonly expected_error_type?: string;
};

/** What this twin models now. A file that passes and is not here should be added. */
const PASSING = [
  'customer.created',
  'customer.subscription.created',
  'customer.subscription.paused',
  'customer.subscription.updated',
  'customer.updated',
  'invoice.deleted',
  'invoice.marked_uncollectible',
  'invoice.paid',
  'invoice.sent',
  'invoice.updated',
  'invoiceitem.created',
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.requires_action',
  'payment_intent.succeeded',
  'price.created',
  'price.updated',
  'product.created',
  'subscription.payment_failed',
];

/** Files whose name is not the event's. */
const EVENTS: { readonly [file: string]: string } = {
  'subscription.payment_failed': 'invoice.payment_failed',
};

t.test('[4.1] trigger fixtures', async t => {
  if (!existsSync(FOLDER)) {
    t.pass('skipped: the fixtures folder is not beside this project', { skip: true });
    return;
  }
  const names = readdirSync(FOLDER)
    .filter(file => file.endsWith('.json'))
    .map(file => file.slice(0, -'.json'.length));
  const failures = new Map<string, string>();
  for (const name of names) {
    await using made = await openStripeWorld();
    await made.stripe.webhookEndpoints.create({ url: 'https://hooks.example.com/', enabled_events: ['*'] });
    const steps = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')).fixtures as Step[];
    const failed = await replay(made, steps);
    const type = EVENTS[name] ?? name;
    await made.world.settled();
    const told = (await made.events(type)).length > 0;
    const sent = made.sent.some(request => JSON.parse(request.body).type === type);
    if (failed !== null || !told || !sent)
      failures.set(name, failed ?? `no ${type} was ${told ? 'sent' : 'told'}`);
  }
  const passed = names.filter(name => !failures.has(name));
  t.comment(`${passed.length} of ${names.length} trigger fixtures pass`);
  for (const name of PASSING) t.equal(failures.get(name), undefined, `${name} passes`);
  t.same(passed, [...PASSING].sort(), 'and no other, or this list is out of date');
});

async function replay(made: StripeWorld, steps: readonly Step[]): Promise<string | null> {
  const answers = new Map<string, Answer['body']>();
  for (const step of steps) {
    const path = filled(step.path, answers);
    const form = encoded(step.params ?? {}, answers);
    const method = step.method.toUpperCase();
    const answer =
      method === 'GET'
        ? await made.ask(method, form === '' ? path : `${path}?${form}`)
        : await made.ask(method, path, { form });
    const error = answer.body?.error;
    if (step.expected_error_type !== undefined) {
      if (error?.type !== step.expected_error_type) return `${step.name}: no ${step.expected_error_type}`;
      answers.set(step.name, error);
    } else if (error !== undefined) return `${step.name}: ${error.message}`;
    else answers.set(step.name, answer.body);
  }
  return null;
}

function filled(text: string, answers: ReadonlyMap<string, Answer['body']>): string {
  return text.replaceAll(
    /\$\{([^:}]+):([^}|]+)(?:\|([^}]*))?\}/g,
    (_whole, name: string, path: string, fallback) => {
      const found = path
        .split('.')
        .reduce((held, key) => held?.[key.replace('#', '')] ?? null, answers.get(name));
      return String(found ?? fallback ?? '');
    },
  );
}

function encoded(params: object, answers: ReadonlyMap<string, Answer['body']>): string {
  const pairs: string[] = [];
  const add = (name: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) add(`${name}[${key}]`, inner);
    } else pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(filled(String(value), answers))}`);
  };
  for (const [name, value] of Object.entries(params)) add(name, value);
  return pairs.join('&');
}
