// `wrld demo` (`npm start`): the main job from end to end, on real input, in a world of its own that is gone
// afterwards. It starts what a user would start and shows what came of it.
import type { Command, Surround } from '../command.ts';
import type { WorldClient } from '../world-client.ts';
import { readAsOthersDo, refusedRequests } from './clients.ts';
import { IS_PACKAGE, type Opened, perform, WRLD } from './performance.ts';
import { type Shop, startShop } from './shop.ts';
import type { Stage } from './stage.ts';
import { openDemoWorld } from './world.ts';

/** Long enough for a renewal in any month: an hour passes between a renewal's draft and its payment. */
const MONTH = '32d';
/** A Stripe twin, and one destination that may be read. */
const CONFIG = {
  name: 'demo/shop',
  services: { stripe: { twin: 'stripe' } },
  runtime: { network: { egress: ['https://rates.example.com/v1/'], writes: [] } },
};

export const demo: Command = {
  words: ['demo'],
  summary: 'see it work: an app, a Stripe twin, a month in a minute',
  usage: '',
  flags: {},
  operandsMax: 0,
  takesCommand: false,
  examples: [['wrld demo', 'runs in a temporary folder, reaches nothing but this machine, and cleans up']],
  run: (_given, around) => perform('wrld demo', around, show),
};

async function show(stage: Stage, open: Opened, { output, env }: Surround): Promise<number> {
  const began = performance.now();
  stage.title('wrld demo', 'An app that calls Stripe, in a world where a twin is Stripe.');

  stage.step('A world is made in a temporary folder, and its two processes start');
  const world = await open.keep(await openDemoWorld(CONFIG, output, env));
  stage.fact('world', world.control.worldUrl);
  stage.fact('control', `process ${process.pid}, the twins, their log and the clock`);
  stage.fact('proxy', `process ${world.control.proxyPid}, at ${world.control.proxyUrl}`);

  stage.step('A small shop starts in it, with the unmodified stripe SDK');
  stage.say(
    'examples/shop/app.mjs calls https://api.stripe.com and knows nothing of wrld: it finds the proxy in its environment.',
  );
  const shop = await open.keep(await startShop(world.environment, line => stage.quote('shop', line)));

  stage.step('Two people sign up: a customer, a card and a monthly subscription each');
  const ada = await signUp(shop, 'Ada Lovelace', 'ada@example.com');
  await signUp(shop, 'Grace Hopper', 'grace@example.com');
  await shop.heard('subscription_create', 2);

  stage.step('The shop lists its customers at Stripe');
  const customers = (await shop.get('/customers')) as readonly { id: string; name: string; email: string }[];
  stage.table(
    ['id', 'name', 'email'],
    customers.map(one => [one.id, one.name, one.email]),
  );
  if (customers.length !== 2) throw new Error(`the shop lists ${customers.length} customers and not 2`);

  stage.step('A month passes: the world’s clock is moved');
  const { from, to } = await moveClock(world.client, world.place);
  stage.fact('clock', `${from} → ${to}`);
  const renewals = await shop.heard('subscription_cycle', 2);
  stage.say(
    `The subscriptions renewed. The twin made the invoices (${renewals[0]!.invoice} is one), had them paid, and sent the shop signed webhooks, which the SDK’s own constructEvent verified.`,
  );

  stage.step('The same customer, as other clients read it through HTTPS_PROXY');
  await readAsOthersDo(stage, world.environment, ada);

  stage.step('Three requests that must not leave');
  await refusedRequests(stage, world.environment);

  stage.step('What happened, newest first: the world’s timeline');
  await showTimeline(stage, world.client, world.place);

  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  stage.end(`Done in ${seconds} s. Nothing left this machine.`);
  for (const line of [
    IS_PACKAGE
      ? 'The same with your own app:'
      : 'The same with your own app (npm link, once, puts wrld on your PATH):',
    '',
    `  ${output.ink('cyan', `${WRLD} world init acme/shop --twins stripe`)}`,
    `  ${output.ink('cyan', `${WRLD} world run -- node app.mjs`)}      or python, go, ruby, java, curl …`,
    '',
    'README.md says how to grant what may leave, and what each refusal means.',
  ])
    output.line(line);
  return 0;
}

async function signUp(shop: Shop, name: string, email: string): Promise<string> {
  const { customer, status } = (await shop.post('/signup', { name, email })) as {
    readonly customer: string;
    readonly status: string;
  };
  if (status !== 'active') throw new Error(`the subscription of ${email} is ${status} and not active`);
  return customer;
}

async function moveClock(
  client: WorldClient,
  place: string,
): Promise<{ readonly from: string; readonly to: string }> {
  const read = async (answer: ReturnType<WorldClient['get']>): Promise<string> => {
    const got = await answer;
    if (!got.ok) throw new Error(`the clock does not answer: ${got.why}`);
    const { at } = got.body as { readonly at?: string };
    if (got.status !== 200 || at === undefined)
      throw new Error(`the clock answers ${got.status}: ${JSON.stringify(got.body)}`);
    return at;
  };
  // Only a clock that is set can be advanced (section 3).
  const now = await read(client.get(`/-${place}/clock`));
  const from = await read(client.send('PUT', `/-${place}/clock`, { at: now }));
  const to = await read(client.send('POST', `/-${place}/clock/advance`, { by: MONTH }));
  return { from, to };
}

type Timeline = {
  readonly entries: readonly {
    readonly twin: string;
    readonly position: number;
    readonly entry: {
      readonly kind: string;
      readonly occurredAt: string;
      readonly actor: { readonly type: string };
      readonly request?: { readonly method: string; readonly path: string };
      readonly changes: readonly { readonly id: string }[];
    };
  }[];
};

async function showTimeline(stage: Stage, client: WorldClient, place: string): Promise<void> {
  const answered = await client.get(`/-${place}/timeline?limit=100`);
  if (!answered.ok || answered.status !== 200) throw new Error('the timeline does not answer');
  const { entries } = answered.body as Timeline;
  // One twin, this year: its name heads the column, and the year is left out.
  const rows = entries.map(({ position, entry }) => [
    String(position),
    entry.occurredAt.slice(5, 16).replace('T', ' '),
    entry.kind,
    entry.request === undefined ? `(${entry.actor.type})` : `${entry.request.method} ${entry.request.path}`,
  ]);
  stage.table(['stripe', 'world time', 'what', 'by'], rows);
}
