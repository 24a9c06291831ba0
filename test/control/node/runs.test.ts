import { createHash } from 'node:crypto';
import t from 'tap';
import { RUNS_MAX } from '../../../control/node/limits.ts';
import { RunList } from '../../../control/node/runs.ts';
import { openTestSite } from '../../kit/site.ts';

const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

t.test(
  '[design: which run is asking] a run is in force when it is told, and its secret is kept as a hash',
  async t => {
    let applied = 0;
    const runs = new RunList({ name: 'default', secret: () => 's' }, async () => void applied++);
    t.strictSame(runs.grants, [{ name: 'default', secretHash: hash('s'), declaration: {} }]);
    const opened = await runs.open({ egress: ['p.test'] });
    if (opened === null) throw new Error('no run was opened');
    t.equal(applied, 1);
    t.strictSame(runs.grants[1], {
      name: opened.name,
      secretHash: hash(opened.secret),
      declaration: { egress: ['p.test'] },
    });
    t.match(runs.seen(), [{ name: opened.name, openedAt: /Z$/, closedAt: null }]);
    t.equal(await runs.close(opened.name), true);
    t.match(runs.seen(), [{ name: opened.name, closedAt: /Z$/ }]);
    const branched = await runs.of('acme/shop-b').open({});
    t.match(runs.of('acme/shop-b').seen(), [{ name: branched!.name }]);
    t.equal(runs.seen().length, 1, 'a branch’s run is the branch’s');
    await runs.of('acme/shop-b').close(branched!.name);
    t.equal(await runs.close(opened.name), false);
    t.equal(await runs.close('default'), false, 'the default run is nobody’s to close');
    t.equal(runs.grants.length, 1);
    for (let i = 0; i < RUNS_MAX; i++) await runs.open({});
    t.equal(await runs.open({}), null, 'there is a limit');
  },
);

t.test('…/runs: write access, a declaration that can be read, credentials once', async t => {
  const runs = new RunList({ name: 'default', secret: () => 's' }, async () => {});
  await using site = await openTestSite({ runs });
  const ask = (method: string, path: string, body: string, token: string) =>
    site.ask({ method, target: `/-/acme/notes/runs${path}`, headers: [['x-wrld-token', token]], body });
  t.match(await ask('POST', '', '{"declaration":{}}', site.readToken), { status: 403 });
  t.match(await ask('POST', '', '{"declaration":{"egress":["*.p.test"]}}', site.token), {
    status: 400,
    json: { error: { code: 'bad-declaration' } },
  });
  for (const body of ['', '{}'])
    t.match(await ask('POST', '', body, site.token), { status: 201 }, 'without a declaration, an open one');
  const opened = await ask('POST', '', '{"declaration":{"egress":["p.test"]}}', site.token);
  t.match(opened, { status: 201, json: { name: /^run-/, secret: /^[\w-]{32}$/ } });
  t.match(await ask('DELETE', `/${opened.json.name}`, '', site.token), { status: 204 });
  t.match(await ask('DELETE', `/${opened.json.name}`, '', site.token), { status: 404 });
  await using bare = await openTestSite();
  t.match(
    await bare.ask({
      method: 'POST',
      target: '/-/acme/notes/runs',
      headers: [['x-wrld-token', bare.token]],
      body: '{}',
    }),
    { status: 404, json: { error: { code: 'no-proxy' } } },
  );
});
