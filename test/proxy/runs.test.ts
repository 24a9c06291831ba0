import { createHash } from 'node:crypto';
import t from 'tap';
import { compileSnapshot, type RunGrant } from '../../policy/snapshot.ts';
import { identify } from '../../proxy/runs.ts';
import { document } from '../kit/proxy.ts';

const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');
const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

type Held = Partial<Pick<RunGrant, 'declaration' | 'world'>>;

function snapshot(anonymousRuns: boolean, held: Held = {}) {
  const compiled = compileSnapshot(
    document({
      anonymousRuns,
      runs: [{ name: 'web', secretHash: hash('s:e:c'), declaration: {}, ...held }],
    }),
  );
  if (!compiled.ok) throw new Error(compiled.why);
  return compiled.snapshot;
}

t.test('[design: which run is asking] the proxy URL’s user and password name the run', t => {
  const rows: readonly (readonly [string | null, boolean, boolean, string | null])[] = [
    [null, true, true, 'default'],
    [null, false, true, null],
    [null, true, false, null],
    [basic('web:s:e:c'), true, true, 'web'],
    [basic('web:s:e:c'), false, false, 'web'],
    [basic('web:wrong'), true, true, null],
    [basic('web:'), true, true, null],
    [basic('other:s:e:c'), true, true, null],
    [basic(':s:e:c'), true, true, null],
    ['Basic !!', true, true, null],
    ['Bearer s:e:c', true, true, null],
  ];
  for (const [authorization, loopback, anonymous, name] of rows) {
    const identified = identify(authorization, snapshot(anonymous), loopback);
    t.equal(identified.ok ? identified.run.name : null, name, `${authorization} ${loopback} ${anonymous}`);
  }
  t.end();
});

t.test('[7.2 undeclared] a run that is held to something is not shed by leaving its credentials out', t => {
  for (const held of [
    { declaration: { egress: ['p.test'] } },
    { declaration: { egress: [] } },
    { world: 'a/b' },
  ]) {
    const at = snapshot(true, held);
    t.match(identify(null, at, true), { ok: false, why: /does not say which run.*default/ });
    t.match(identify(basic('web:s:e:c'), at, true), { ok: true, run: { name: 'web' } });
  }
  t.match(identify(null, snapshot(true), true), { ok: true }, 'a run that is held to nothing is no reason');
  t.end();
});
