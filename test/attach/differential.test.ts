// One script of requests, directly and attached: what the client saw and what the server saw is the same.
import t from 'tap';
import { nodes } from '../kit/attached.ts';
import { same, scriptedWorld } from '../kit/scripted-world.ts';

const { world, script, trusted, trial, straight, ...rest } = await scriptedWorld();
t.teardown(() => rest[Symbol.asyncDispose]());

for (const node of nodes()) {
  t.test(`[4.2] Node ${node.version}: directly and attached it is the same`, async t => {
    const direct = await straight(node.path);
    const before = world.proxy.lines.length;
    const env = { NODE_EXTRA_CA_CERTS: trusted };
    const attached = await trial(async () => (await world.run(script, { node: node.path, env })).said);
    same(t, attached, direct);
    t.ok(world.proxy.lines.length - before > 150, 'it was the proxy that carried it');
  });
}
