// Trigger fixtures of others, where they are at hand: requests in order, then the event each file is named after.
// They are no part of the project, so their absence is told, not hidden.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { faultsOf } from './stripe-schema.ts';
import type { Answer, StripeWorld } from './stripe-world.ts';
import { openStripeWorld } from './stripe-world.ts';

const FOLDER = new URL('../../../shared/fixtures/stripe-triggers/', import.meta.url);

type Step = {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly params?: { readonly [name: string]: unknown };
  readonly expected_error_type?: string;
};

/** Files whose name is not the event's. */
const EVENTS: { readonly [file: string]: string } = {
  'subscription.payment_failed': 'invoice.payment_failed',
  'issuing_authorization.request.eu': 'issuing_authorization.request',
  'issuing_card.created.eu': 'issuing_card.created',
  'issuing_cardholder.created.gb': 'issuing_cardholder.created',
};

export type Fired = {
  readonly name: string;
  /** Null when the event was told and a signed delivery of it was sent. */
  readonly why: string | null;
  /** What the objects in the world's events lack of what the vendor declares, and how many objects there were. */
  readonly faults: readonly string[];
  readonly objects: number;
};

/** Every fixture in a world of its own; null where the folder is not beside this project. */
export async function fireTriggers(): Promise<readonly Fired[] | null> {
  if (!existsSync(FOLDER)) return null;
  const fired: Fired[] = [];
  for (const file of readdirSync(FOLDER).sort()) {
    if (file.endsWith('.json')) fired.push(await fire(file.slice(0, -'.json'.length)));
  }
  return fired;
}

async function fire(name: string): Promise<Fired> {
  await using made = await openStripeWorld();
  await made.stripe.webhookEndpoints.create({ url: 'https://hooks.example.com/', enabled_events: ['*'] });
  const steps = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')).fixtures as Step[];
  const failed = await replay(made, steps);
  const type = EVENTS[name] ?? name;
  await made.world.settled();
  const told = (await made.events(type)).length > 0;
  const sent = made.sent.some(
    ({ body, headers }) =>
      JSON.parse(body).type === type && headers.some(([header]) => header === 'Stripe-Signature'),
  );
  const why = failed ?? (told && sent ? null : `no ${type} was ${told ? 'sent' : 'told'}`);
  const events = (await made.ask('GET', '/v1/events?limit=100')).body.data as { data: { object: object } }[];
  const faults = events.flatMap(({ data }) => faultsOf(data.object));
  return { name, why, faults, objects: events.length };
}

async function replay(made: StripeWorld, steps: readonly Step[]): Promise<string | null> {
  const answers = new Map<string, Answer['body']>();
  for (const step of steps) {
    const path = filled(step.path, answers);
    const form = encoded(step.params ?? {}, answers);
    const method = step.method.toUpperCase();
    const answer = path.startsWith('/v2/')
      ? await made.ask(method, path, { body: new TextEncoder().encode(jsonOf(step.params ?? {}, answers)) })
      : method === 'GET'
        ? await made.ask(method, form === '' ? path : `${path}?${form}`)
        : await made.ask(method, path, { form });
    const error = answer.body?.error;
    if (step.expected_error_type !== undefined && error?.type === step.expected_error_type) {
      answers.set(step.name, error);
    } else if (step.expected_error_type === 'card_error') {
      return `${step.name}: no ${step.expected_error_type}`;
    } else if (error !== undefined) return `${step.name}: ${error.message}`;
    else answers.set(step.name, answer.body);
  }
  return null;
}

function jsonOf(params: object, answers: ReadonlyMap<string, Answer['body']>): string {
  return JSON.stringify(params, (_name, value) =>
    typeof value === 'string' ? filled(value, answers) : value,
  );
}

function filled(text: string, answers: ReadonlyMap<string, Answer['body']>): string {
  const plain = text
    .replaceAll(/\$\{time-now-RFC3339\}/g, '2026-01-15T12:00:00Z')
    .replaceAll(/\$\{generate-uuid\}/g, () => crypto.randomUUID());
  return plain.replaceAll(
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
