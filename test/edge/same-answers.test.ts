// [4.11] “A world answers exactly what a served world answers”: the requests that the host of 4.10 is held to.
import t from 'tap';
import { edgeWorld, startEdge } from '../kit/edge-host.ts';
import { bareWorld, hostDirectory, startHostQuietly } from '../kit/many-worlds.ts';
import { type Answered, answersOf, answersServed, branchingOf } from '../kit/world-requests.ts';

/** What the edge has not (docs/edge.md): it has no file to record into. */
const NOT_THERE = /\/recording$/;

t.test('[4.11] a world on the edge answers what wrld world serve answers', async t => {
  const directory = await hostDirectory(t);
  const vendors = ['stripe', 'smtp', 'openai'];
  const tokens = await bareWorld(directory, 'acme/shop', vendors);
  const expected = await answersServed(t, { directory, name: 'acme/shop', tokens }, NOT_THERE);
  await using edge = await startEdge({
    bindings: { WORLD_ORIGIN_SUFFIX: '.localhost', SEALING_KEY: '07'.repeat(32) },
  });
  await edgeWorld(edge, 'acme/shop', { vendors, ...tokens });
  const found = await answersOf(edge.baseUrl, tokens, NOT_THERE);
  for (const [index, answer] of expected.entries())
    t.strictSame(comparable(found[index]!), comparable(answer), answer.asked);
});

t.test(
  '[4.9] [4.11] branches are made and removed with the same answers on a host and on the edge',
  async t => {
    const directory = await hostDirectory(t);
    const vendors = ['stripe', 'smtp'];
    const tokens = await bareWorld(directory, 'acme/shop', vendors);
    await using host = await startHostQuietly(directory);
    await using edge = await startEdge({ bindings: { WORLD_ORIGIN_SUFFIX: '.localhost' } });
    await edgeWorld(edge, 'acme/shop', { vendors, ...tokens });
    const expected = await branchingOf(host.baseUrl, tokens);
    t.equal(expected.filter(({ status }) => status < 300).length, 12);
    const found = await branchingOf(edge.baseUrl, tokens);
    for (const [index, answer] of expected.entries())
      t.strictSame(comparable(found[index]!), comparable(answer), answer.asked);
  },
);

/** Without what is of the connection, and what only one of them has. */
function comparable({ headers, body, ...rest }: Answered): object {
  const {
    connection: _,
    'keep-alive': __,
    'transfer-encoding': ___,
    'x-wrld-world-code': ____,
    ...shown
  } = headers as { readonly [name: string]: unknown };
  // What is served on the edge is trusted by everybody's roots.
  return { ...rest, headers: shown, body: body.replace('"ca":"(certificate)"', '"ca":""') };
}
