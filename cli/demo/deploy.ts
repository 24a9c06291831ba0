// `wrld demo deploy`: from a world to the real vendor and back, as people go it (docs/deploying.md). A second world, served by
// another process, plays the vendor; a third is a colleague's. What is done is typed commands, and gone afterwards.
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command, Surround } from '../command.ts';
import { worldClient } from '../world-client.ts';
import { type Opened, perform, WRLD } from './performance.ts';
import type { Stage } from './stage.ts';
import { type Served, stripeOf } from './stripe-api.ts';
import { openTypist, startServed, type Words } from './typist.ts';
import { type DemoWorld, openDemoWorld } from './world.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/gold-plan', import.meta.url));
const VENDOR = 'demo/stripe';
const COLLEAGUE = 'demo/colleague';

export const demoDeploy: Command = {
  words: ['demo', 'deploy'],
  summary: 'see the way to the real vendor and back: read, check, approve, deploy',
  usage: '',
  flags: {},
  operandsMax: 0,
  takesCommand: false,
  examples: [['wrld demo deploy', 'another world plays the real Stripe: nothing leaves this machine']],
  run: (_given, around) => perform('wrld demo deploy', around, show),
};

type Listed = { readonly data: readonly { readonly id: string; readonly [field: string]: unknown }[] };

/** What is behind the scenes of each step. */
type Scene = {
  readonly stage: Stage;
  readonly world: DemoWorld;
  readonly here: Served;
  readonly vendor: Served;
  /** `wrld <words>` in the world's own folder. */
  readonly type: (typed: Words | readonly string[]) => Promise<string>;
};

async function show(stage: Stage, open: Opened, around: Surround): Promise<number> {
  const began = performance.now();
  const { output } = around;
  stage.title('wrld demo deploy', 'What an app did in a world is done at its vendor, once.');
  const scene = await setStage(stage, open, around);
  await refreshed(scene);
  const cut = await ranInABranch(scene);
  await landed(scene, cut);
  await deployed(scene, cut);
  await heard(scene);
  await followed(scene, open, around);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  stage.end(`Done in ${seconds} s. Nothing left this machine.`);
  for (const line of [
    'The same with the real Stripe, in its test mode:',
    '',
    `  ${output.ink('cyan', `${WRLD} world root set stripe https://api.stripe.com`)}`,
    `  ${output.ink('cyan', `${WRLD} world credential set stripe`)}      asks for a key, and seals it`,
    '',
    'docs/deploying.md tells it step by step, with what can go wrong.',
  ])
    output.line(line);
  return 0;
}

async function setStage(stage: Stage, open: Opened, { output, env }: Surround): Promise<Scene> {
  stage.step('Two worlds start: ours, and one in another process that plays the real Stripe');
  const ours = { name: 'demo/shop', services: { stripe: { twin: 'stripe' } } };
  const world = await open.keep(await openDemoWorld(ours, output, env));
  const { origin } = new URL(world.control.baseUrl);
  // The vendor sends its webhooks to our world, and nowhere else.
  const network = { egress: [`${origin}/`], writes: [`${origin}/`] };
  const vendor = await open.keep(await serveIn(VENDOR, { runtime: { network } }, env));
  await cp(EXAMPLE, world.folder, { recursive: true });
  // Where the app finds the SDK, as it would after an npm install.
  await symlink(modulesFolder(), join(world.folder, 'node_modules'), 'dir');
  await stripeOf(vendor, 'customers', { name: 'Ada Lovelace', email: 'ada@example.com' });
  stage.fact('ours', world.control.worldUrl);
  stage.fact('Stripe', `${vendor.worldUrl}/stripe, process ${vendor.pid}; it knows nothing of ours`);
  const typist = openTypist(stage, output, env);
  return {
    stage,
    world,
    here: { worldUrl: world.control.worldUrl, token: world.control.token },
    vendor,
    type: typed => typist.type(world.folder, 'words' in typed ? typed : { words: typed }),
  };
}

/** A world of that name in a folder of its own, in a process of its own. */
async function serveIn(name: string, config: object, env: Surround['env']) {
  await using made = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-demo-')));
  made.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, '.wrld'));
  const whole = { name, services: { stripe: { twin: 'stripe' } }, ...config };
  await writeFile(join(folder, '.wrld', 'world.json'), `${JSON.stringify(whole, null, 2)}\n`);
  const served = made.use(await startServed(folder, env));
  const kept = made.move();
  const { pid, worldUrl, token } = served;
  return { folder, pid, worldUrl, token, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function modulesFolder(): string {
  const stripe = createRequire(import.meta.url).resolve('stripe');
  const name = `${sep}node_modules${sep}`;
  return stripe.slice(0, stripe.lastIndexOf(name) + name.length - 1);
}

async function refreshed({ stage, type, vendor, here }: Scene): Promise<void> {
  stage.step('The vendor is put behind our twin: its records come in, its key is sealed');
  await type(['world', 'root', 'set', 'stripe', `${vendor.worldUrl}/stripe`]);
  await type({ words: ['world', 'credential', 'set', 'stripe'], input: `${vendor.token}\n` });
  await type(['world', 'refresh', 'stripe']);
  const { observedAt, body } = await stripeOf<Listed>(here, 'customers');
  stage.say('What the twin lists now, and since when:');
  stage.table(
    ['id', 'name'],
    body.data.map(({ id, name }) => [id, String(name)]),
  );
  stage.fact('header', `x-wrld-observed-at: ${observedAt}`);
}

type Cut = { readonly name: string; readonly branch: string; readonly subscription: string };

async function ranInABranch({ stage, type, world }: Scene): Promise<Cut> {
  stage.step('An unmodified app sells a plan, in a branch, and what it did is cut into a changeset');
  stage.say('It is examples/gold-plan/app.mjs. A check of ours forbids prices over 100.');
  await type(['world', 'changeset', 'check', 'set', 'prices', 'prices.js']);
  const run = ['world', 'run', '--branch', 'new', '--cut', 'Gold plan', '--', 'node', 'app.mjs'];
  const tooDear = await type(run);
  const first = cutOf(tooDear);
  await type({ words: ['world', 'changeset', 'verify', first.name, '--branch', first.branch], code: 1 });
  await type(['world', 'branch', 'remove', first.branch]);

  stage.step('The check says no. The app is mended, 150 becomes 90, and runs again');
  const app = join(world.folder, 'app.mjs');
  await writeFile(app, (await readFile(app, 'utf8')).replace('PRICE = 15000', 'PRICE = 9000'));
  const cut = cutOf(await type(run));
  await type({ words: ['world', 'changeset', 'diff', cut.name, '--branch', cut.branch], lines: 24 });
  return cut;
}

function cutOf(said: string): Cut {
  const [, name = ''] = /cut (change-[0-9a-f]+)/.exec(said) ?? [];
  const [, branch = ''] = /the branch (\S+) stays/.exec(said) ?? [];
  const [, subscription = ''] = /subscription (sub_\w+) is/.exec(said) ?? [];
  if (name === '' || branch === '') throw new Error('the run cut no changeset');
  return { name, branch, subscription };
}

async function landed({ stage, type, here, vendor }: Scene, { name, branch }: Cut): Promise<void> {
  stage.step('The changeset lands in our world, which asks for two approvals');
  await type(['world', 'changeset', 'push', name, '--branch', branch]);
  await type(['world', 'changeset', 'verify', name]);
  await type(['world', 'changeset', 'rules', '--approvals', '2']);
  await type(['world', 'changeset', 'approve', name, '--as', 'ann']);
  await type({ words: ['world', 'changeset', 'deploy', name, '--yes'], code: 1 });
  stage.say('One is not enough. Bob has a program approve for him, with a key of his own:');
  const made = await worldClient(new URL(here.worldUrl).origin, here.token).send(
    'POST',
    `/-${new URL(here.worldUrl).pathname}/keys`,
    { name: 'review', for: 'bob', forName: 'Bob' },
  );
  if (!made.ok || made.status !== 200) throw new Error('no key is made for Bob');
  const { key } = made.body as { readonly key: string };
  await type({
    words: ['world', 'changeset', 'approve', name],
    env: { WRLD_WORLD: here.worldUrl, WRLD_WORLD_TOKEN: key },
  });
  const { body } = await stripeOf<Listed>(vendor, 'products');
  if (body.data.length !== 0) throw new Error('the vendor has a product before the deploy');
  stage.good('Nothing of it has reached the vendor yet.');
}

async function deployed(scene: Scene, { name, subscription }: Cut): Promise<void> {
  const { stage, type, here, vendor } = scene;
  stage.step('The deploy asks the vendor, each request once, with ids and links as receipts');
  await type(['world', 'changeset', 'deploy', name, '--yes']);
  const there = await stripeOf<Listed>(vendor, 'subscriptions');
  const held = await stripeOf<{ readonly id: string }>(here, `subscriptions/${subscription}`);
  if (there.body.data.length !== 1 || held.body.id !== there.body.data[0]!.id)
    throw new Error('the id that the app holds does not lead to what the vendor made');
  stage.good('The id that the app holds goes on working:');
  stage.fact('app', subscription);
  stage.fact('vendor', held.body.id);
}

async function heard({ stage, type, here, vendor }: Scene): Promise<void> {
  stage.step('The vendor tells our world what changes there: a webhook, verified and folded in');
  const url = `${new URL(here.worldUrl).origin}/-${new URL(here.worldUrl).pathname}/twins/stripe/ingest`;
  const made = await stripeOf<{ readonly secret: string }>(vendor, 'webhook_endpoints', {
    url,
    'enabled_events[]': '*',
  });
  const words = ['world', 'credential', 'set', 'stripe', '--signing-secret'];
  await type({ words, input: `${vendor.token}\n${made.body.secret}\n` });
  const ada = (await stripeOf<Listed>(vendor, 'customers?email=ada@example.com')).body.data[0]!;
  const arrival = nextEntry(here);
  await arrival.listening;
  await stripeOf(vendor, `customers/${ada.id}`, { name: 'Ada King' });
  await arrival.came;
  const { body } = await stripeOf<{ readonly name: string }>(here, `customers/${ada.id}`);
  if (body.name !== 'Ada King') throw new Error(`the webhook came, and the customer is ${body.name}`);
  stage.good(`${ada.id} is called ${body.name} here too.`);
}

/** The next entry of any of the world's logs. */
function nextEntry({ worldUrl, token }: Served): { listening: Promise<void>; came: Promise<void> } {
  const listening = Promise.withResolvers<void>();
  const came = Promise.withResolvers<void>();
  const late = AbortSignal.timeout(20_000);
  void worldClient(new URL(worldUrl).origin, token)
    .events(
      `/-${new URL(worldUrl).pathname}/events`,
      async kind => {
        if (kind === 'open') listening.resolve();
        if (kind === 'entry') came.resolve();
        return kind !== 'entry';
      },
      late,
    )
    .then(why => {
      listening.reject(new Error(`the world’s events end: ${why}`));
      came.reject(new Error(`no webhook arrives: ${why}`));
    });
  return { listening: listening.promise, came: came.promise };
}

async function followed({ stage, here }: Scene, open: Opened, around: Surround): Promise<void> {
  const { output, env } = around;
  stage.step('A colleague’s world follows ours. Both change a name: the pull says so, and is told');
  const theirs = await open.keep(await serveIn(COLLEAGUE, {}, env));
  const typist = openTypist(stage, output, env);
  const type = (words: readonly string[], more: Partial<Words> = {}) =>
    typist.type(theirs.folder, { words, ...more });
  await type(['world', 'origin', 'set', here.worldUrl], { input: `${here.token}\n` });
  const { data } = (await stripeOf<Listed>(theirs, 'customers?email=grace@example.com')).body;
  const grace = data[0]!.id;
  await stripeOf(theirs, `customers/${grace}`, { name: 'Grace B. Hopper' });
  await stripeOf(here, `customers/${grace}`, { name: 'Rear Admiral Hopper' });
  await type(['world', 'pull'], { code: 1 });
  await type(['world', 'pull', '--take', 'ours']);
  await type(['world', 'changeset', 'cut', 'Her whole name', '--name', 'whole-name']);
  await type(['world', 'push']);
  const { body } = await stripeOf<{ readonly name: string }>(here, `customers/${grace}`);
  if (body.name !== 'Grace B. Hopper') throw new Error(`after the push she is called ${body.name}`);
  stage.good(`Ours has it: ${grace} is ${body.name}.`);
}
