// A record's own request, made of its fields; and of every type of the twins here, that the twin knows the request.
import t from 'tap';
import { anthropicTwin } from '../../../twins/anthropic/twin.ts';
import { retrievedAt } from '../../../twins/kit/retrieve.ts';
import { openaiTwin } from '../../../twins/openai/twin.ts';
import { stripeTwin } from '../../../twins/stripe/twin.ts';

t.test('[4.9] braces take the id and the fields', async t => {
  const at = (path: string, body: object) => retrievedAt({ path }, 'a/b', { ...body });
  t.equal(at('/v1/depots/{id}', {}), '/v1/depots/a%2Fb');
  t.equal(at('/v1/depots/{$depot}/parcels/{id}', { $depot: 'd1' }), '/v1/depots/d1/parcels/a%2Fb');
  t.equal(at('/v1/depots/{depot}/parcels/{id}', {}), null, 'the record does not say whose it is');
  t.equal(at('/v1/depots/{depot}/parcels/{id}', { depot: 7 }), null);
  t.equal(at('/v1/settings', {}), '/v1/settings');
});

t.test('[2.2] what a type is retrieved by is an operation of its twin', async t => {
  for (const twin of [stripeTwin, openaiTwin, anthropicTwin]) {
    const retrieved = Object.entries(twin.records).filter(([, { retrieve }]) => retrieve !== undefined);
    t.not(retrieved.length, 0, twin.manifest.vendor);
    for (const [type, { retrieve }] of retrieved) {
      const path = retrieve!.path.replaceAll(/\{[^}]*\}/g, 'x');
      t.match(
        twin.covers?.({ method: 'GET', path }),
        { tier: 'modelled' },
        `${twin.manifest.vendor} ${type}`,
      );
    }
  }
});
