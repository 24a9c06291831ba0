// The grant that lets pass what was refused: who is shown it, who may have it listed, and what becomes of the file.
import t from 'tap';
import type { ConfigFile, SeenRefusal } from '../../../control/http/surroundings.ts';
import { refuse } from '../../../policy/refusal.ts';
import { openTestSite } from '../../kit/site.ts';

const DOCS = 'http://127.0.0.1:4000';
const seen = (nth: number, record: SeenRefusal['record']): SeenRefusal => ({
  ...{ nth, record, run: 'default', agent: null, at: '2026-01-01T00:00:00.000Z' },
});
const REFUSALS = [
  seen(2, refuse('sealed', { target: 'https://api.test/b' }, DOCS)),
  seen(
    1,
    refuse(
      'not-granted',
      { target: 'https://api.test/rates?key=1', grantField: 'runtime.network.egress' },
      DOCS,
    ),
  ),
];
const GRANT = '/-/acme/notes/refusals/1/grant';

/** A file in memory, and what somebody else saves into it. */
const memoryConfig = (): ConfigFile & { held: string; outcome: Awaited<ReturnType<ConfigFile['put']>> } => ({
  held: '{\n  "name": "acme/notes"\n}\n',
  outcome: 'in-force',
  text() {
    return Promise.resolve(this.held);
  },
  put({ text }) {
    if (this.outcome === 'in-force') this.held = text;
    return Promise.resolve(this.outcome);
  },
});

t.test('[7.2 not-granted] the narrowest grant is listed by a person, on the machine itself', async t => {
  const config = memoryConfig();
  const origin = 'http://notes--acme.localhost:4000';
  await using site = await openTestSite({ refusals: REFUSALS, config, ownOrigin: () => origin });
  const host = ['host', new URL(origin).host] as const;
  const opened = await site.ask({
    method: 'POST',
    target: '/-/acme/notes/session',
    headers: [host, ['x-wrld-token', site.token]],
  });
  const cookie = ['cookie', opened.headers['set-cookie']!.split(';')[0]!] as const;
  const person = [host, cookie, ['sec-fetch-site', 'same-origin']] as const;
  const token = [['x-wrld-token', site.token]] as const;
  const grant = (more: Partial<Parameters<typeof site.ask>[0]> = {}) =>
    site.ask({ method: 'POST', target: GRANT, headers: person, local: true, ...more });

  t.match((await site.ask({ target: GRANT, headers: person, local: true })).json, {
    field: 'runtime.network.egress',
    grant: 'https://api.test/rates',
    kind: 'exact',
    here: true,
    lines: [{ is: 'kept' }, { is: 'removed', text: '  "name": "acme/notes"' }, { is: 'added' }],
  });
  t.match((await site.ask({ target: GRANT, headers: token })).json, { here: false }, 'from elsewhere');
  t.match(await grant({ headers: token }), { status: 403 }, 'no token gives a grant');
  t.match(await grant({ local: false }), { status: 403, json: { error: { code: 'not-here' } } });
  t.match(
    await grant({ headers: [...person, ['x-wrld-through', '1']] }),
    { status: 403, json: { error: { code: 'not-here' } } },
    'what comes through the world’s proxy is a program in the world',
  );
  t.notMatch(config.held, 'api.test');
  config.outcome = 'changed-meanwhile';
  t.match(await grant(), { status: 409, json: { error: { code: 'changed-meanwhile' } } });
  config.outcome = 'not-in-force';
  t.match(await grant(), { status: 409, json: { error: { code: 'not-in-force' } } });
  config.outcome = 'in-force';
  t.match(await grant(), { status: 200, json: { grant: 'https://api.test/rates', here: true } });
  t.strictSame(JSON.parse(config.held), {
    name: 'acme/notes',
    runtime: { network: { egress: ['https://api.test/rates'] } },
  });
  t.match(await grant(), { status: 409, json: { error: { code: 'listed' } } });
  config.held = '{';
  t.match(await grant(), { status: 409, json: { error: { code: 'unreadable' } } });
  t.match(await grant({ target: GRANT.replace('1', '2') }), {
    status: 409,
    json: { error: { code: 'no-grant' } },
  });
  for (const nth of ['3', 'x'])
    t.match(await grant({ target: GRANT.replace('1', nth) }), { status: 404 }, nth);
});

t.test('[7.2 not-granted] a world whose file is elsewhere says what to write there', async t => {
  await using site = await openTestSite({ refusals: REFUSALS });
  const { json } = await site.ask({ target: GRANT, headers: [['x-wrld-token', site.token]], local: true });
  t.match(json, { grant: 'https://api.test/rates', lines: [], here: false });
});
