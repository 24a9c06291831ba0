import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { Secret } from '../../../../control/world/access/secret.ts';
import type { VendorCredential } from '../../../../control/world/seals/credential.ts';
import type { RealVendor, VendorRequest } from '../../../../twins/kit/real-vendor.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { openNoteWorld } from '../../../kit/note-world.ts';
import { openVendor, vendorPorts } from '../../../kit/rooted-world.ts';

const LIMITS = { timeoutMs: 5_000, bodyBytesMax: 100_000 };
const REQUEST: VendorRequest = {
  method: 'POST',
  path: '/v1/notes?a=1',
  headers: [
    ['Idempotency-Key', 'k1'],
    ['authorization', 'Bearer of-the-app'],
  ],
  body: '{"text":"grüße"}',
};
const KEY: VendorCredential = {
  shown: { as: 'key', key: new Secret('sk_live_of_nobody') },
  signingSecret: null,
};

const real: RealVendor = {
  authorize: credential => {
    if (credential.startsWith('pk_')) throw new TypeError(`${credential} is no secret key`);
    return [['Authorization', `Bearer ${credential}`]];
  },
};

/** A world whose note twin has the vendor as its root, below `/base`. */
const rooted = async (t: Tap, answer: RequestListener, document = {}) => {
  const vendor = await openVendor(answer);
  const { vault, ...ports } = vendorPorts('acme/notes', document);
  const mounted = noteTwin();
  const notes = await openNoteWorld({
    name: 'acme/notes',
    ports,
    twins: { note: { ...mounted, twin: { ...mounted.twin, real } } },
  });
  t.teardown(async () => {
    await notes[Symbol.asyncDispose]();
    await vendor[Symbol.asyncDispose]();
  });
  const point = async (url: string) => {
    await notes.world.roots.put('note', { url, deploy: 'never', refresh: { every: null, atMost: '1m' } });
  };
  await point(`${vendor.origin}/base`);
  const { asks, credentials } = notes.world.real;
  const ask = (more: Partial<VendorRequest> = {}, limits = LIMITS) =>
    asks.ask('note', { ...REQUEST, ...more }, limits);
  return { notes, vault, vendor, credentials, point, ask };
};
type Tap = { teardown(work: () => Promise<void>): unknown };

t.test('[3] a root is asked at its own URL, with its own credential in the place of the app’s', async t => {
  const got = Promise.withResolvers<{ request: IncomingMessage; body: string }>();
  const { ask, credentials, notes } = await rooted(t, async (request, response) => {
    got.resolve({ request, body: await text(request) });
    response.writeHead(201, ['X-Twice', 'a', 'X-Twice', 'b']).end('{"id":"n_1"}');
  });
  t.match(await ask(), {
    ok: false,
    why: 'no-credential',
    sent: false,
    message: /wrld world credential set note/,
  });
  await credentials.put('note', KEY);
  const answered = await ask();
  t.match(answered, { ok: true, status: 201 });
  t.equal(answered.ok && new TextDecoder().decode(answered.body), '{"id":"n_1"}');
  t.equal(answered.ok && answered.headers.filter(([name]) => name === 'X-Twice').length, 2);
  const { request, body } = await got.promise;
  t.match([request.method, request.url, body], ['POST', '/base/v1/notes?a=1', '{"text":"grüße"}']);
  t.equal(request.headers.authorization, 'Bearer sk_live_of_nobody');
  t.equal(request.headers['idempotency-key'], 'k1');
  t.match(await notes.world.real.asks.ask('other', REQUEST, LIMITS), {
    ok: false,
    why: 'no-root',
    sent: false,
  });
});

t.test('[3] headers of a credential replace those of the request', async t => {
  const seen: IncomingMessage['headers'][] = [];
  const { ask, credentials } = await rooted(t, (request, response) => {
    seen.push(request.headers);
    response.end();
  });
  const headers = [
    ['X-Api-Key', new Secret('k')],
    ['Authorization', new Secret('Basic abc')],
  ] as const;
  await credentials.put('note', { shown: { as: 'headers', headers }, signingSecret: null });
  t.equal((await ask()).ok, true);
  t.match(seen, [{ 'x-api-key': 'k', authorization: 'Basic abc' }]);
});

t.test('[security 55] a redirect is an answer, and the credential goes nowhere else', async t => {
  let elsewhere = 0;
  const other = await openVendor((_request, response) => {
    elsewhere += 1;
    response.end();
  });
  t.teardown(() => other[Symbol.asyncDispose]());
  const { ask, credentials } = await rooted(t, (_request, response) => {
    response.writeHead(307, { location: `${other.origin}/base/v1/notes` }).end();
  });
  await credentials.put('note', KEY);
  t.match(await ask(), { ok: true, status: 307 });
  t.equal(elsewhere, 0);
});

t.test(
  '[2.9] a root that is pointed elsewhere is asked nothing until its credential is set again',
  async t => {
    const seen: (string | undefined)[] = [];
    const answer: RequestListener = (request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    };
    const { ask, credentials, point } = await rooted(t, answer);
    await credentials.put('note', KEY);
    const other = await openVendor(answer);
    t.teardown(() => other[Symbol.asyncDispose]());
    await point(other.origin);
    t.match(await ask(), { ok: false, why: 'no-credential', sent: false, message: /another origin/ });
    t.strictSame(seen, []);
    await credentials.put('note', KEY);
    t.match(await ask(), { ok: true });
    t.strictSame(seen, ['Bearer sk_live_of_nobody']);
  },
);

t.test('[3] `sent` is false only where nothing can have reached the vendor', async t => {
  const answers: RequestListener[] = [];
  const { ask, credentials, vault, vendor, point } = await rooted(t, (request, response) => {
    (answers.shift() ?? (() => response.end()))(request, response);
  });
  await credentials.put('note', KEY);
  vault.setAway(true);
  t.match(await ask(), { ok: false, why: 'vault-away', sent: false });
  vault.setAway(false);
  t.match(await ask({ path: '/v1\\x' }), { ok: false, why: 'refused', sent: false });
  t.match(await ask({ headers: [['X', 'a\r\nb']] }), { ok: false, why: 'no-answer', sent: false });
  answers.push(request => request.socket.destroy());
  t.match(await ask(), { ok: false, why: 'no-answer', sent: true }, 'hung up on');
  answers.push(() => {});
  t.match(
    await ask({}, { ...LIMITS, timeoutMs: 50 }),
    { ok: false, why: 'no-answer', sent: true },
    'silence',
  );
  answers.push((_request, response) => response.write('half', () => response.destroy()));
  t.match(await ask(), { ok: false, why: 'no-answer', sent: true }, 'half an answer');
  answers.push((_request, response) => {
    response.on('error', () => {});
    const more = (): void =>
      void (response.write(Buffer.alloc(65_536)) ? setImmediate(more) : response.once('drain', more));
    more();
  });
  t.match(await ask(), { ok: false, why: 'too-large', sent: true }, 'an answer without end');
  const url = `${vendor.origin}/base`;
  await point('http://127.0.0.1:1');
  await credentials.put('note', KEY);
  t.match(await ask(), { ok: false, why: 'no-answer', sent: false, message: /ECONNREFUSED/ });
  await point(url);
  await credentials.put('note', { ...KEY, shown: { as: 'key', key: new Secret('pk_live_x') } });
  const none = await ask();
  t.match(none, { ok: false, why: 'no-credential', sent: false });
  t.notMatch(JSON.stringify(none), /pk_live/);
});

t.test('[7.2 sealed] a sandbox asks nobody, whatever its roots say', async t => {
  let asked = 0;
  const answer: RequestListener = (_request, response) => {
    asked += 1;
    response.end();
  };
  const { ask, credentials } = await rooted(t, answer, { sandbox: true });
  await credentials.put('note', KEY);
  t.match(await ask(), { ok: false, why: 'refused', sent: false, message: /^sealed: / });
  t.equal(asked, 0);
});

t.test('[bad-input DNS] a root’s name that leads into the machine’s networks is not dialled', async t => {
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.169.254',
    'fd00::1',
    'fe80::1',
    '::1',
    '100.64.0.1',
    '::ffff:10.0.0.1',
    '0.0.0.0',
  ]) {
    const asked: string[] = [];
    const { vault: _, ...ports } = vendorPorts('acme/notes', {}, async host => {
      asked.push(host);
      return [address];
    });
    await using notes = await openNoteWorld({ name: 'acme/notes', ports });
    await notes.world.roots.put('note', {
      url: 'https://api.note.test',
      deploy: 'never',
      refresh: { every: null, atMost: '1m' },
    });
    const { credentials, asks } = notes.world.real;
    await credentials.put('note', KEY);
    const answered = await asks.ask('note', REQUEST, LIMITS);
    t.match(
      answered,
      { ok: false, why: 'refused', sent: false, message: /^not-granted: api.note.test leads to / },
      address,
    );
    t.strictSame(asked, ['api.note.test'], 'one look-up');
  }
});
