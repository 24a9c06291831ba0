import t from 'tap';
import { vendorPorts } from '../../kit/rooted-world.ts';
import { openTestSite } from '../../kit/site.ts';

t.test('[4.7] links are made, pointed elsewhere and removed; a name that a twin has is refused', async t => {
  const { vault: _, ...ports } = vendorPorts('acme/notes');
  await using site = await openTestSite({ ports });
  const ask = (method: string, path: string, body?: unknown) =>
    site.ask({
      method,
      target: `/-/acme/notes/links${path}`,
      headers: [['x-wrld-token', site.token]],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  t.strictSame((await ask('GET', '')).json, { links: [] });
  t.match(await ask('PUT', '/maps', { origin: 'HTTPS://API.maps.test:443' }), {
    status: 200,
    json: { name: 'maps', origin: 'https://api.maps.test' },
  });
  t.match(await ask('PUT', '/maps', { origin: 'https://eu.maps.test' }), { status: 200 });
  t.strictSame((await ask('GET', '')).json, { links: [{ name: 'maps', origin: 'https://eu.maps.test' }] });
  t.match(await ask('PUT', '/note', { origin: 'https://e.test' }), {
    status: 409,
    json: { error: { code: 'name-taken' } },
  });
  for (const origin of [
    'http://e.test',
    'https://10.0.0.1',
    'https://[::1]',
    'https://localhost',
    'https://intranet',
    'https://metadata.google.internal',
    'https://host.docker.internal',
    'https://u:p@e.test',
    'https://e.test/path',
    'https://e.test:0443',
    '',
    7,
    null,
    undefined,
  ])
    t.match(
      await ask('PUT', '/bad', { origin }),
      { status: 400, json: { error: { code: 'bad-origin' } } },
      String(origin),
    );
  for (const name of ['-a', 'a-', 'A', 'a_b', 'a%2Fb', 'a'.repeat(65), '..%2f', 'link:x'])
    t.equal((await ask('PUT', `/${name}`, { origin: 'https://e.test' })).status, 400, name);
  t.match(await ask('PUT', '/x', { origin: 'https://e.test', more: 1 }), { status: 400 });
  t.equal((await ask('DELETE', '/maps')).status, 204);
  t.equal((await ask('DELETE', '/maps')).status, 404);
  t.match(await site.ask({ target: '/acme/notes/maps/', headers: [['x-wrld-token', site.token]] }), {
    status: 404,
  });
  for (let n = 0; n < 100; n++) await ask('PUT', `/l${n}`, { origin: 'https://e.test' });
  t.match(await ask('PUT', '/one-more', { origin: 'https://e.test' }), {
    status: 409,
    json: { error: { code: 'too-many' } },
  });
  t.match(await ask('PUT', '/l7', { origin: 'https://e2.test' }), { status: 200 });
});

t.test('[4.7] a link’s name that leads into the machine’s networks is not dialled, and says so', async t => {
  for (const address of ['127.0.0.1', '10.0.0.5', '169.254.169.254', 'fd12::1']) {
    const { vault: _, ...ports } = vendorPorts('acme/notes', {}, async () => [address]);
    await using site = await openTestSite({ ports });
    const headers = [['x-wrld-token', site.token]] as const;
    await site.ask({
      method: 'PUT',
      target: '/-/acme/notes/links/maps',
      headers,
      body: '{"origin":"https://e.test"}',
    });
    const sealing = { target: '/-/acme/notes/twins/maps/credential', headers, body: '{"credential":"k"}' };
    t.match(await site.ask({ method: 'PUT', ...sealing }), {
      status: 200,
      json: { boundTo: 'https://e.test' },
    });
    const answer = await site.ask({ target: '/acme/notes/maps/a', headers });
    t.match([answer.status, answer.text], [502, /"code":"refused".*e\.test leads to/], address);
  }
});
