// What an attached process does by itself, before it asks the proxy: its run's copy of the policy (7.2), its own
// loopback, and the world's own paths (4.2, 5.2).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { writeNetworkPolicy } from '../../cli/network-policy.ts';
import { attachedWorld, nodes } from '../kit/attached.ts';
import { startHttpOrigin } from '../kit/origin.ts';
import { createTestAuthority } from '../kit/test-ca.ts';

const authority = await createTestAuthority();
const granted = await startHttpOrigin({
  tls: { authority, hosts: ['granted.test'] },
  handler: (_request, response) => response.end('granted'),
});
/** Something on loopback: the world's own server, or a listener of the run's. */
const local = await startHttpOrigin({
  handler: (request, response) =>
    response.end(
      JSON.stringify([
        request.url,
        request.headers['x-twins-key'] ?? null,
        request.headers.authorization ?? null,
      ]),
    ),
});
const origin = `https://granted.test:${granted.port}`;
const network = { egress: [origin], writes: [], passthrough: [], ownLoopback: true };
const world = await attachedWorld(
  {
    routes: [{ host: 'tw.test', path: '/', vendor: 'tw' }],
    network,
    extraHosts: { 'granted.test': '127.0.0.1' },
  },
  authority,
);
t.teardown(async () => {
  await world[Symbol.asyncDispose]();
  await granted.stop();
  await local.stop();
});
const LOCAL = `http://127.0.0.1:${local.port}`;
const WORLD = `${LOCAL}/acme/shop`;
const policies = join(world.folder, 'policies');
const copy = (changes: object = {}): Promise<string> =>
  writeNetworkPolicy(policies, { world: WORLD, ownLoopback: true, reachable: [], ...changes });

const ASK = `import http from 'node:http'; import net from 'node:net';
const tell = error => error.worldRefusal?.rule ?? error.cause?.code ?? error.stack;
const asked = url => fetch(url).then(answer => answer.text(), tell);
`;

for (const node of nodes()) {
  t.test(`Node ${node.version}`, async t => {
    t.test(
      '[7.2 policy-unreadable] without a copy that can be read nothing outside of the world is reached',
      async t => {
        const garbled = join(world.folder, 'garbled.json');
        writeFileSync(garbled, '{"kind":');
        const program = `${ASK} say([await asked('${origin}/'), await asked('https://tw.test/x'), await asked('http://localhost:${local.port}/y'), await asked('https://listed.test/')]);`;
        const run = async (file: string | undefined) =>
          (
            await world.run(program, {
              node: node.path,
              env: {
                WRLD_WORLD_NETWORK_POLICY: file,
                WRLD_WORLD: WORLD,
                NO_PROXY: 'localhost,listed.test',
                WRLD_WORLD_PROXY: world.env['HTTPS_PROXY'],
              },
            })
          ).said as string[];
        const twin = 'twin GET /acme/shop/tw/x';
        const own = '["/y",null,null]';
        t.match(await run(await copy()), ['granted', twin, own, /ENOTFOUND|EAI_AGAIN/], 'its own copy');
        t.match(await run(undefined), ['granted', twin, own], 'a run that was given none');
        for (const [what, file] of [
          ['no file', join(world.folder, 'none.json')],
          ['no JSON', garbled],
          ["another world's", await copy({ world: `${LOCAL}/acme/other` })],
        ] as const)
          t.strictSame(await run(file), ['policy-unreadable', twin, own, 'policy-unreadable'], what);
      },
    );

    t.test(
      '[7.2 own-loopback-ungranted] a world that denies it is asked for every listener but its own',
      async t => {
        world.proxy.push({ routes: [], network: { ...network, ownLoopback: false } });
        const program = `${ASK}
        const socket = await new Promise(resolve => net.connect(${granted.port}, '127.0.0.1').on('error', error => resolve(tell(error))).on('connect', () => resolve('connected')));
        say([await asked('${LOCAL}/y'), await asked('http://localhost:${granted.port}/'), socket]);`;
        const { said } = await world.run(program, {
          node: node.path,
          env: {
            WRLD_WORLD: WORLD,
            WRLD_WORLD_PROXY: world.env['HTTPS_PROXY'],
            WRLD_WORLD_NETWORK_POLICY: await copy({
              ownLoopback: false,
              reachable: [`127.0.0.1:${local.port}`],
            }),
          },
        });
        world.proxy.push({
          routes: [{ host: 'tw.test', path: '/', vendor: 'tw' }],
          network,
          extraHosts: { 'granted.test': '127.0.0.1' },
        });
        t.strictSame(said, ['["/y",null,null]', 'own-loopback-ungranted', 'own-loopback-ungranted']);
      },
    );

    t.test('[4.2, 5.2] requests to the world’s own paths carry its token, no others do', async t => {
      const { said } = await world.run(
        `${ASK}
        const got = (path, options = {}) => new Promise(resolve => http.get('${LOCAL}' + path, options, async answer => { let text = ''; for await (const chunk of answer) text += chunk; resolve(JSON.parse(text)); }));
        const fetched = async (path, options) => (await fetch('${LOCAL}' + path, options)).json();
        const told = [];
        for (const ask of [got, fetched]) {
          told.push(await ask('/acme/shop/stripe/v1/customers', { headers: { authorization: 'Bearer sk_test_x' } }));
          told.push(await ask('/-/acme/shop/log/stripe?limit=1'));
          told.push(await ask('/acme/shop', { headers: { 'X-Twins-Key': 'own' } }));
          told.push(await ask('/acme/shopping'));
          told.push(await ask('/health'));
        }
        told.push(await got('/acme/shop/x', { headers: ['Host', '127.0.0.1:${local.port}', 'A', 'b'] }));
        say(told);`,
        {
          node: node.path,
          env: { WRLD_WORLD: WORLD, WRLD_WORLD_TOKEN: 'tok_w_1', WRLD_WORLD_PROXY: world.env['HTTPS_PROXY'] },
        },
      );
      const each = [
        ['/acme/shop/stripe/v1/customers', 'tok_w_1', 'Bearer sk_test_x'],
        ['/-/acme/shop/log/stripe?limit=1', 'tok_w_1', null],
        ['/acme/shop', 'own', null],
        ['/acme/shopping', null, null],
        ['/health', null, null],
      ];
      t.strictSame((said as unknown[]).slice(0, 10), [...each, ...each]);
      t.match((said as unknown[])[10], ['/acme/shop/x', 'tok_w_1', null], 'headers as a list');
    });
  });
}
