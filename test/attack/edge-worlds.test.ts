// Worlds of two orgs on one deployment of the edge (4.11), on real workerd: the attacks of many-worlds.test.ts. The rival's world has
// credentials that its callers held already, so that nothing of their form says whose they are.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import t from 'tap';
import { importingRoutes } from '../../control/hosting/routes.ts';
import { bundleEdge } from '../../scripts/edge-bundle.ts';
import { type EdgeHost, edgeWorld, startEdge } from '../kit/edge-host.ts';
import { besideNeighbours, NEIGHBOURS } from './bad-neighbours.ts';
import { type AttackedHost, attackHost, attackWorld, SUFFIX } from './between-worlds.ts';

t.setTimeout(600_000);

const bundle = await bundleEdge({ minify: false });
const bindings = { WORLD_ORIGIN_SUFFIX: SUFFIX };

const attacked = ({ baseUrl, admin }: EdgeHost): AttackedHost => ({
  baseUrl,
  named: baseUrl,
  admin,
  routes: importingRoutes,
  adopted: { token: 'held_by_the_rival-0123456789', readToken: 'read_by_the_rival-0123456789' },
});

t.test('[5.1, 4.11] nothing of one world opens another, on any of its endpoints', async t => {
  await using edge = await startEdge({ bundle, bindings });
  await attackWorld(t, attacked(edge));
});

t.test('[5.1, 4.11] nothing of any world opens the host’s own endpoints', async t => {
  await using edge = await startEdge({ bundle, bindings });
  await attackHost(t, attacked(edge));
});

/** So that a flood of a test is one. */
const small: Plugin = {
  name: 'small',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/control\/world\/limits\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace(/(BUDGET_\w*SECOND) = \d+/, '$1 = 20')
        .replace(/(BUDGET_BURST\w*) = \d+/, '$1 = 100'),
      loader: 'ts',
    })),
};

t.test('[4.11] a bad neighbour does not keep another world from answering', async t => {
  await using edge = await startEdge({
    bundle: await bundleEdge({ minify: false, plugins: [small] }),
    bindings,
  });
  const made = async (name: string, vendors: readonly string[]) => {
    return { name, ...(await edgeWorld(edge, name, { vendors })) };
  };
  const good = await made('acme/shop', ['stripe']);
  const neighbours = [];
  for (const [n, [what, does]] of Object.entries(NEIGHBOURS).entries())
    neighbours.push({ what, does, world: await made(`bad/w${n}`, ['stripe', 'openai']) });
  await besideNeighbours(t, edge, { good, neighbours });
});
