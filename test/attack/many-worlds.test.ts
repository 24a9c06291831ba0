// Worlds of two orgs on one host (4.10): nothing that opens one opens anything of the other, on any endpoint, by any way to present
// it, under any name of the host; and whatever a world does to itself, its neighbour answers.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { adminRoutes } from '../../control/hosting/routes.ts';
import type { RunningHost } from '../../control/node/host/host.ts';
import { bareWorld, hostDirectory, startHostQuietly } from '../kit/many-worlds.ts';
import { besideNeighbours, NEIGHBOURS, type Neighbours } from './bad-neighbours.ts';
import { type AttackedHost, attackHost, attackWorld, SUFFIX } from './between-worlds.ts';

t.setTimeout(600_000);

t.test('[5.1, 4.10] nothing of one world opens another, on any of its endpoints', async t => {
  await using host = await startHostQuietly(await hostDirectory(t), { suffix: SUFFIX });
  await attackWorld(t, attacked(host));
});

t.test('[5.1, 4.10] nothing of any world opens the host’s own endpoints', async t => {
  await using host = await startHostQuietly(await hostDirectory(t), { suffix: SUFFIX });
  await attackHost(t, attacked(host));
});

const attacked = ({ listensAt, adminToken }: RunningHost): AttackedHost => ({
  baseUrl: listensAt,
  named: null,
  admin: adminToken.secret.reveal(),
  routes: adminRoutes,
});

const FUNCTIONS = `export function answer({ said }) { for (;;); }`;
const HANDLERS = JSON.stringify({ version: 1, handlers: [] });

/** What only a world with a folder can have. */
const OF_A_FOLDER: Neighbours = {
  'a function that never answers': async ({ at }) => {
    const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'loop' }] });
    const say = () => at('POST', '/openai/v1/chat/completions', 'application/json', body);
    const [first] = await Promise.all([say(), say(), say()]);
    if (!/did not come to its end/.test(first.text)) throw new Error(`${first.status} ${first.text}`);
  },
  'a store that is damaged': async ({ ask }) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('GET', 'map')));
    if (!answers.every(({ status }) => status === 503)) throw new Error('it opens');
  },
};

t.test('[4.10] a bad neighbour does not keep another world from answering', async t => {
  const directory = await hostDirectory(t);
  const good = { name: 'acme/shop', ...(await bareWorld(directory, 'acme/shop')) };
  const neighbours = [];
  for (const [n, [what, does]] of Object.entries({ ...NEIGHBOURS, ...OF_A_FOLDER }).entries()) {
    const name = `bad/w${n}`;
    const world = { name, ...(await bareWorld(directory, name, ['stripe', 'openai'])) };
    neighbours.push({ what, does, world });
  }
  const nameOf = new Map(neighbours.map(({ what, world }) => [what, world.name]));
  const looping = join(directory, nameOf.get('a function that never answers')!);
  const config = join(looping, '.wrld', 'world.json');
  const declared = JSON.parse(readFileSync(config, 'utf8'));
  declared.services.openai.colocate = { scenarioPath: 'openai.json' };
  writeFileSync(config, JSON.stringify(declared));
  writeFileSync(join(looping, 'openai.json'), HANDLERS);
  writeFileSync(join(looping, 'openai.js'), FUNCTIONS);
  const store = join(directory, nameOf.get('a store that is damaged')!, '.wrld', 'world', 'world.db');
  const bytes = readFileSync(store);
  bytes.fill(0x5a, 4096, 6 * 4096);
  writeFileSync(store, bytes);

  await using host = await startHostQuietly(directory, { budget: { requestsPerSecond: 20, burst: 100 } });
  await besideNeighbours(t, { baseUrl: host.listensAt }, { good, neighbours });
});
