// …/tab: what a browser program needs to be in this world (7.1, last row): which hosts are twins', where they answer, and what
// the world grants besides; and the program's own files, which pages of any origin may load (console/tab/).
import type { TwinRoute } from '../../policy/route-table.ts';
import type { World } from '../world/world.ts';
import { json } from './answer.ts';
import { tabFile } from './page-files.ts';
import type { Route, Visit } from './route.ts';
import { FLAG, list, object, TEXT, withText } from './schema.ts';
import { failure } from './shapes.ts';
import type { GrantLayer } from './surroundings.ts';
import { routesOf } from './twin-routes.ts';

const TAB_PLAN = object({
  name: withText(TEXT, '`<org>/<world>`'),
  docsUrl: withText(TEXT, 'of the pages that refusals link to'),
  ownLoopback: withText(FLAG, 'whether this machine’s own listeners may be asked'),
  twins: list(object({ host: TEXT, path: TEXT, vendor: TEXT })),
  layers: withText(
    list(object({ egress: list(TEXT), writes: list(TEXT) })),
    'what the world grants, then each parent: a request must pass all of them; none: nothing is granted',
  ),
});

export const tab: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/tab',
    access: 'read',
    tag: 'World',
    summary: 'what attaches a browser program: the twins’ hosts and paths, and what else is granted',
    answers: { 200: { description: 'by which a tab judges its requests', schema: TAB_PLAN } },
    run: (_call, world, visit) => json(200, tabPlan(world, visit)),
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/tab/<file>',
    access: 'open',
    tag: 'World',
    summary: 'a module of the browser program, for pages of any origin',
    answers: {
      200: { description: 'the module', type: 'text/javascript' },
      404: failure('the program has no such file'),
    },
    run: (_call, _world, { around, params }) => tabFile(around.pageFile, params['file']!),
  },
];

type TabPlan = {
  readonly name: string;
  readonly docsUrl: string;
  readonly ownLoopback: boolean;
  readonly twins: readonly Pick<TwinRoute, 'host' | 'path' | 'vendor'>[];
  readonly layers: readonly Pick<GrantLayer, 'egress' | 'writes'>[];
};

function tabPlan(world: World, { around }: Visit): TabPlan {
  const layers = around.grants?.() ?? [];
  return {
    name: world.name,
    docsUrl: around.docsUrl,
    ownLoopback: layers.every(({ ownLoopback }) => ownLoopback),
    twins: world.vendors.flatMap(id =>
      routesOf({ id, manifest: world.manifest(id)! }).map(({ host, path, vendor }) => ({
        host,
        path,
        vendor,
      })),
    ),
    // What one of them grants nothing of, none lets pass.
    layers: layers.some(({ egress, writes }) => egress.length + writes.length === 0)
      ? []
      : layers.map(({ egress, writes }) => ({ egress, writes })),
  };
}
