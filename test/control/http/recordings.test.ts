import t from 'tap';
import { vendorPorts } from '../../kit/rooted-world.ts';
import { openTestSite } from '../../kit/site.ts';

t.test('a recording is the token’s to begin, and of a host that keeps files', async t => {
  const { vault: _, ...ports } = vendorPorts('acme/notes');
  await using site = await openTestSite({ ports });
  const ask = (method: string, path: string, token: string = site.token) =>
    site.ask({ method, target: `/-/acme/notes/${path}`, headers: [['x-wrld-token', token]] });
  t.match(await ask('GET', 'recordings'), { status: 200, json: { recordings: [] } });
  t.match(await ask('PUT', 'twins/note/recording'), { status: 409, json: { error: { code: 'no-files' } } });
  t.match(await ask('PUT', 'twins/none/recording'), {
    status: 404,
    json: { error: { code: 'no-such-twin' } },
  });
  t.match(await ask('DELETE', 'twins/note/recording'), {
    status: 404,
    json: { error: { code: 'not-recorded' } },
  });
  for (const [method, path] of [
    ['GET', 'recordings'],
    ['PUT', 'twins/note/recording'],
    ['DELETE', 'twins/note/recording'],
  ] as const)
    t.equal((await ask(method, path, site.readToken)).status, 403, method);
});
