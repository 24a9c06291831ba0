// What operations ask of the store and of JSON, in a world of each twin by itself. The writes that an app makes most are
// held against their limits by test/bench/counts.test.ts.
import { join } from 'node:path';
import { openBlobs } from '../control/node/blobs.ts';
import { openSqlite } from '../control/node/sqlite.ts';
import type { WallClock } from '../control/ports/clock.ts';
import { openWorld } from '../control/world/open-world.ts';
import { migrate } from '../control/world/store/schema.ts';
import type { Call } from '../twins/kit/call.ts';
import { mountTwin } from '../twins/kit/mount.ts';
import type { Twin } from '../twins/kit/twin.ts';
import { parseMail } from '../twins/smtp/parse.ts';
import type { Received } from '../twins/smtp/received.ts';
import { smtpTwin } from '../twins/smtp/twin.ts';
import { stripeTwin } from '../twins/stripe/twin.ts';
import { BENCH_CALL } from './bench-call.ts';
import { MAIL } from './client/mails.ts';
import { type CountedSql, type Counts, countedSql } from './counted-sql.ts';
import { EACH, type Operation } from './operations/asks.ts';
import { fill } from './operations/seed.ts';
import { STORIES } from './operations/stories.ts';
import { worldPorts } from './world-ports.ts';

/** Calls before those that are counted: the first of its kind looks up what the next ones know. */
const BEFORE = 3;
const COUNTED = 10;

export type Write = 'customer' | 'customer update' | 'confirmed payment intent' | 'subscription' | 'mail';
export type WriteCounts = Counts & { readonly texts: ReadonlyMap<string, number> };

type Setting = AsyncDisposable & {
  readonly counted: CountedSql;
  readonly call: (call: Partial<Call>) => Promise<string>;
};

/** Of each operation, in a store of one story; null where there is nothing to ask. */
export async function countOperations(
  vendor: string,
  operations: readonly Operation[],
  folder: string,
): Promise<readonly (Counts | null)[]> {
  const { host, twin } = STORIES[vendor]!;
  const files = { database: join(folder, 'world.db'), blobs: join(folder, 'blobs'), store: folder };
  const { known } = await fill(STORIES[vendor]!, 1, { ...files, name: 'bench/counts' });
  await using opened = await setting({ vendor, host, twin, ...files });
  const found: (Counts | null)[] = [];
  for (const { asks } of operations) {
    const asked = asks(known);
    if (asked.length === 0) {
      found.push(null);
      continue;
    }
    let made = 0;
    found.push(
      await count(opened, async n => {
        const { method, path, form, json, at } = asked[n % asked.length]!;
        const [place, query = ''] = path.split('?') as [string, string?];
        const said = form ?? (json === undefined ? '' : JSON.stringify(json));
        const each = String(made++).padStart(EACH.length, '0');
        const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
        const headers = { ...KEY, 'content-type': type, 'anthropic-version': '2023-06-01' };
        await opened.call({
          ...{ method, path: place, query, headers },
          ...(at === undefined ? {} : { host: at }),
          body: bytes(said.replaceAll(EACH, each)),
        });
      }),
    );
  }
  return found;
}

async function count({ counted }: Setting, work: (n: number) => Promise<unknown>): Promise<WriteCounts> {
  for (let n = 0; n < BEFORE; n++) await work(n);
  const times: WriteCounts[] = [];
  for (let n = 0; n < COUNTED; n++) times.push(await counted.count(() => work(BEFORE + n)));
  return mean(times);
}

/** What one call of each asks for. */
export async function countWrites(folder: string): Promise<ReadonlyMap<Write, WriteCounts>> {
  const found = new Map<Write, WriteCounts>();
  const database = ':memory:';
  const blobs = folder;
  {
    const opened = { vendor: 'stripe', host: 'api.stripe.com', twin: stripeTwin, database, blobs };
    await using stripe = await setting(opened);
    const note = async (write: Write, work: (n: number) => Promise<unknown>): Promise<void> => {
      found.set(write, await count(stripe, work));
    };
    const post = async (path: string, form: string): Promise<string> => {
      const headers = {
        ...KEY,
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': `bench-${keys++}`,
      };
      const body = await stripe.call({ method: 'POST', path, headers, body: bytes(form) });
      return (JSON.parse(body) as { id: string }).id;
    };
    let keys = 0;
    await note('customer', n => post('/v1/customers', `name=Jane&email=jane${n}%40example.com`));
    const customer = await post('/v1/customers', 'name=Jane&email=jane%40example.com');
    await note('customer update', n => post(`/v1/customers/${customer}`, `description=seen+${n}`));
    const paid = `amount=2000&currency=usd&customer=${customer}&payment_method=pm_card_visa&confirm=true&return_url=https%3A%2F%2Fexample.com`;
    await note('confirmed payment intent', () => post('/v1/payment_intents', paid));
    const price = await post(
      '/v1/prices',
      'currency=usd&unit_amount=1000&recurring[interval]=month&product_data[name]=Gold',
    );
    const subscribed = `customer=${customer}&items[0][price]=${price}&payment_behavior=default_incomplete`;
    await note('subscription', () => post('/v1/subscriptions', subscribed));
  }
  await using smtp = await setting({ vendor: 'smtp', host: '', twin: smtpTwin, database, blobs });
  const raw = bytes(MAIL.slice(0, -'.\r\n'.length));
  const envelope = { from: 'shop@example.com', helo: 'bench.test', auth: null, tls: false };
  const to = 'jane@example.com';
  const mail = await count(smtp, async () => {
    const say = (method: string, path: string, said: object, read?: Received): Promise<string> =>
      smtp.call({
        method,
        path,
        via: 'stream',
        body: bytes(JSON.stringify(said)),
        ...(read === undefined ? {} : { read }),
      });
    await say('MAIL', `/${envelope.from}`, { ...envelope, to: null });
    await say('RCPT', `/${to}`, { ...envelope, to });
    const read = { envelope: { ...envelope, to: [to] }, raw, ...(await parseMail(raw)) };
    await say('DATA', '/', { ...read.envelope, subject: read.mail.subject }, read);
  });
  return found.set('mail', mail);
}

type Place = {
  readonly vendor: string;
  readonly host: string;
  readonly twin: Twin;
  readonly database: string;
  readonly blobs: string;
};

async function setting({ vendor, host, twin, database, blobs }: Place): Promise<Setting> {
  const opened = openSqlite(database);
  migrate(opened);
  const counted = countedSql(opened);
  const world = await openWorld({
    name: 'bench/counts',
    sql: counted.sql,
    durability: counted.sql,
    blobs: openBlobs(blobs),
    ...worldPorts(ticking()),
    // The journal's lines are written in batches, whenever that is: they are none of a call's own.
    alarms: { set: () => {}, onWake: () => {} },
    twins: [{ id: vendor, twin: mountTwin(twin, null), package: null }],
  });
  return {
    counted,
    call: async call => {
      const reply = await world.call(vendor, { ...BENCH_CALL, host, ...call });
      const text = typeof reply.body === 'string' ? reply.body : '';
      if (reply.status >= 300) throw new Error(`${call.method} ${call.path}: ${reply.status} ${text}`);
      return text;
    },
    [Symbol.asyncDispose]: async () => {
      await world.close();
      opened.close();
    },
  };
}

const KEY = { authorization: 'Bearer sk_test_bench' };

const encoder = new TextEncoder();
const bytes = (text: string): Uint8Array => encoder.encode(text);

/** A millisecond further whenever somebody looks: what comes first of two things must not hang on the machine, nor on the day. */
const ticking = (): WallClock => {
  let at = Date.UTC(2026, 0, 15, 12);
  return { now: () => at++ };
};

/** Of several counts; the texts are those of the last. */
const mean = (times: readonly WriteCounts[]): WriteCounts => {
  const of = (count: keyof Counts): number =>
    Math.round(times.reduce((sum, each) => sum + each[count], 0) / times.length);
  return {
    statements: of('statements'),
    rows: of('rows'),
    bytes: of('bytes'),
    parses: of('parses'),
    stringifies: of('stringifies'),
    texts: times.at(-1)!.texts,
  };
};
