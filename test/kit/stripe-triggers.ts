// Trigger fixtures of others, where they are at hand: requests in order, then the event each file is named after.
// They are no part of the project, so their absence is told, not hidden.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import Stripe from 'stripe';
import { faultsOf } from './stripe-schema.ts';
import type { Answer, StripeWorld } from './stripe-world.ts';
import { KEY, openStripeWorld, START } from './stripe-world.ts';

/** Another folder of the same kind, for who has more of them. */
const FOLDER =
  process.env['STRIPE_TRIGGERS'] === undefined
    ? new URL('../../../shared/fixtures/stripe-triggers/', import.meta.url)
    : pathToFileURL(`${process.env['STRIPE_TRIGGERS']}/`);

type Step = {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly params?: { readonly [name: string]: unknown };
  readonly expected_error_type?: string;
  readonly api_base?: string;
  readonly headers?: { readonly [name: string]: string };
};

/** Files are named after their event, but for a country at the end and for what a subscription's invoice tells. */
function eventOf(file: string): string {
  return file.replace(/\.(eu|gb)$/, '').replace(/^subscription\.(payment_\w+)$/, 'invoice.$1');
}

export type Fired = {
  readonly name: string;
  /** Null when the event was told and a signed delivery of it was sent. */
  readonly why: string | null;
  /** What the objects in the world's events lack of what the vendor declares; how many do, and of how many. */
  readonly faults: readonly string[];
  readonly faulty: number;
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
  const url = 'https://hooks.example.com/';
  const type = eventOf(name);
  const secret = type.startsWith('v2.') ? await thinTaker(made, url, type) : await taker(made, url);
  const steps = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')).fixtures as Step[];
  const failed = await replay(made, steps);
  // Reading the events lets the banks answer that answer at once; then their deliveries are under way too.
  const told = (await made.events(type)).length > 0;
  await made.world.settled();
  const sent = made.sent.some(
    ({ body, headers }) => verified(body, new Map(headers).get('Stripe-Signature'), secret) === type,
  );
  const why = failed ?? (told && sent ? null : `no ${type} was ${told ? 'sent' : 'told'}`);
  const events = (await made.ask('GET', '/v1/events?limit=100')).body.data as {
    type: string;
    data: { object: object };
  }[];
  // The vendor says of the event of an invoice to come that its invoice has no id.
  const excused = (type: string, fault: string): boolean =>
    type === 'invoice.upcoming' && fault === 'invoice.id is missing';
  const found = events
    .map(({ type: told, data }) => faultsOf(data.object).filter(fault => !excused(told, fault)))
    .filter(each => each.length > 0);
  return { name, why, faults: found.flat(), faulty: found.length, objects: events.length };
}

async function taker({ stripe }: StripeWorld, url: string): Promise<string> {
  return (await stripe.webhookEndpoints.create({ url, enabled_events: ['*'] })).secret ?? '';
}

async function thinTaker({ stripe }: StripeWorld, url: string, type: string): Promise<string> {
  const { webhook_endpoint: endpoint } = await stripe.v2.core.eventDestinations.create({
    name: 'Hooks',
    type: 'webhook_endpoint',
    event_payload: 'thin',
    enabled_events: [type],
    webhook_endpoint: { url },
    include: ['webhook_endpoint.signing_secret'],
  });
  return endpoint?.signing_secret ?? '';
}

/** The type of an event, by the vendor's own check of its signature. The world's wall stands at its start. */
function verified(body: string, signature = '', secret = ''): string {
  const at = [undefined, undefined, Date.parse(START)] as const;
  if (JSON.parse(body).object !== 'v2.core.event')
    return Stripe.webhooks.constructEvent(body, signature, secret, ...at).type;
  return sdk.parseEventNotification(body, signature, secret, ...at).type;
}

const sdk = new Stripe(KEY);

async function replay(made: StripeWorld, steps: readonly Step[]): Promise<string | null> {
  const answers = new Map<string, Answer['body']>();
  for (const step of steps) {
    const path = filled(step.path, answers);
    const form = encoded(step.params ?? {}, answers);
    const method = step.method.toUpperCase();
    const json = path.startsWith('/v2/');
    const query = method === 'GET' && form !== '' ? `?${form}` : '';
    const headers = Object.entries(step.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      filled(value, answers),
    ]);
    const answer = await made.ask(method, `${path}${query}`, {
      body: new TextEncoder().encode(
        json ? jsonOf(step.params ?? {}, answers) : method === 'GET' ? '' : form,
      ),
      host: new URL(step.api_base ?? 'https://api.stripe.com').hostname,
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded',
        ...Object.fromEntries(headers),
      },
    });
    // A made object may have an `error` of its own.
    const error = answer.status < 400 ? undefined : answer.body.error;
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
