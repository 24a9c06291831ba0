// …/origin over the endpoints (2.13, 4.7, 7.3): what each says, and the bytes that a history names.
import t from 'tap';
import { ORIGIN_URL, openOriginPair } from '../../kit/origin-pair.ts';
import { openTestSite } from '../../kit/site.ts';

t.test('[4.7] named, pulled with a conflict that is resolved, pushed, forgotten', async t => {
  await using pair = await openOriginPair();
  const { origin, own } = pair;
  const ask = (method: string, path: string, body = '') =>
    own.ask({ method, target: `/-/acme/own/${path}`, headers: [['x-wrld-token', own.token]], body });
  await origin.notes.ask('PUT', '/notes/a', { n: 1 });
  t.match(await ask('GET', 'origin'), { status: 200, json: { origin: null } });
  t.match(await ask('POST', 'origin/pull'), { status: 409, json: { error: { code: 'no-origin' } } });
  t.match(await ask('PUT', 'origin', '{"url":"x"}'), { status: 400 });
  t.match(await ask('PUT', 'origin', JSON.stringify({ url: 'https://x', token: 't' })), {
    status: 400,
    json: { error: { code: 'bad-url' } },
  });
  const named = await ask('PUT', 'origin', JSON.stringify({ url: ORIGIN_URL, token: origin.token }));
  t.match(named, { status: 200, json: { pulled: { note: 1 }, moved: {}, status: { origin: ORIGIN_URL } } });
  await own.notes.ask('PUT', '/notes/a', { n: 2 });
  await origin.notes.ask('PUT', '/notes/a', { n: 3 });
  t.match(await ask('GET', 'origin'), {
    json: { ahead: { changes: 1, changesets: 0 }, behind: { note: 1 } },
  });
  const conflict = { twin: 'note', type: 'note', id: 'a', field: '/n' };
  t.match(await ask('POST', 'origin/pull'), {
    status: 409,
    json: {
      error: { code: 'conflict', details: { conflicts: [{ ...conflict, base: 1, ours: 2, theirs: 3 }] } },
    },
  });
  for (const resolve of [[{ ...conflict, take: 'mine' }], {}, [null]])
    t.match(await ask('POST', 'origin/pull', JSON.stringify({ resolve })), { status: 400 });
  t.match(await ask('POST', 'origin/pull', JSON.stringify({ resolve: [{ ...conflict, take: 'ours' }] })), {
    status: 200,
    json: { pulled: { note: 1 }, moved: { note: 1 } },
  });
  await ask('POST', 'changesets', '{"message":"m","name":"cs"}');
  t.match(await ask('POST', 'origin/push'), {
    status: 200,
    json: { pushed: [{ name: 'cs' }], status: { ahead: { changes: 0, changesets: 0 } } },
  });
  pair.before = () => ({ ok: false, sent: false, why: 'ECONNREFUSED' });
  t.match(await ask('POST', 'origin/pull'), { status: 502, json: { error: { code: 'origin-away' } } });
  t.match(await ask('GET', 'origin'), { status: 200, json: { origin: ORIGIN_URL } }, 'what it said last');
  t.match(await ask('PUT', 'origin', 'null'), { status: 200, json: { status: { origin: null } } });
});

t.test('[4.7] a world whose host seals nothing has no origin; bytes are given by their name', async t => {
  await using site = await openTestSite();
  const ask = (method: string, path: string, body = '') =>
    site.ask({ method, target: `/-/acme/notes/${path}`, headers: [['x-wrld-token', site.token]], body });
  t.match(await ask('PUT', 'origin', JSON.stringify({ url: ORIGIN_URL, token: 't' })), { status: 501 });
  const { body } = await site.notes.ask('PUT', '/files/f', 'x');
  t.match(await ask('GET', `blobs/${body.file}`), { status: 200, text: '"x"' });
  t.match(await ask('GET', `blobs/${'0'.repeat(64)}`), { status: 404 });
  t.match(await ask('GET', 'blobs/none'), { status: 404 });
});
