// One script of requests, directly and in a contained run with nothing in its environment but the roots that Node does
// not take of the system's: what the client saw and what the server saw is the same.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openContainment } from '../../contained/containment.ts';
import { nodes, SAY } from '../kit/attached.ts';
import { cannotContain } from '../kit/contained.ts';
import { CREDENTIALS, same, scriptedWorld } from '../kit/scripted-world.ts';

const skip = await cannotContain();
const { world, origin, script, trusted, trial, straight, ...rest } = await scriptedWorld();
t.teardown(() => rest[Symbol.asyncDispose]());
const program = join(world.folder, 'contained.mjs');
writeFileSync(program, SAY + script);

async function contained(node: string): Promise<unknown> {
  const lines: string[] = [];
  const opened = await openContainment({
    env: process.env,
    folder: world.folder,
    tell: line => lines.push(line),
  });
  if (!opened.ok) throw new Error(opened.why);
  await using containment = opened.containment;
  const said = join(world.folder, 'said.json');
  const ended = await containment.run({
    command: [node, program],
    env: { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: trusted, SAY_INTO: said },
    proxySocket: world.runsSocket,
    credentials: CREDENTIALS,
    proxyPort: world.proxy.port,
    directPorts: [],
    ports: Object.values(origin.bases).map(base => Number(new URL(base).port)),
    mounts: [],
    trust: { bundle: trusted, java: null },
  });
  if (!ended.ok || ended.code !== 0) throw new Error(`${JSON.stringify(ended)} ${lines.join('\n')}`);
  return JSON.parse(readFileSync(said, 'utf8'));
}

for (const node of nodes()) {
  t.test(`[4.2] Node ${node.version}: directly and contained it is the same`, { skip }, async t => {
    const direct = await straight(node.path);
    const before = world.proxy.lines.length;
    const through = await trial(() => contained(node.path));
    same(t, through, direct);
    t.ok(world.proxy.lines.length - before > 150, 'it was the proxy that carried it');
  });
}
