// Worlds of two orgs on one deployment of the edge (4.11), on real workerd: the attacks of many-worlds.test.ts. The rival's world has
// credentials that its callers held already, so that nothing of their form says whose they are.
import t from 'tap';
import { importingRoutes } from '../../control/hosting/routes.ts';
import { bundleEdge } from '../../scripts/edge-bundle.ts';
import { type EdgeHost, startEdge } from '../kit/edge-host.ts';
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
