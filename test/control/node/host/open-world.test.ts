// [4.10] “A world served by the host answers exactly what a world served by the plain serve command answers”.
import t from 'tap';
import { bareWorld, hostDirectory, startHostQuietly } from '../../../kit/many-worlds.ts';
import { answersOf, answersServed } from '../../../kit/world-requests.ts';

t.test('[4.10] a world of a host answers what wrld world serve answers', async t => {
  const directory = await hostDirectory(t);
  const tokens = await bareWorld(directory, 'acme/shop', ['stripe', 'smtp', 'openai']);
  const expected = await answersServed(t, { directory, name: 'acme/shop', tokens });
  await using host = await startHostQuietly(directory);
  const found = await answersOf(host.baseUrl, tokens);
  for (const [index, answer] of expected.entries()) t.strictSame(found[index], answer, answer.asked);
});
