import { once } from 'node:events';
import { request } from 'node:http';
import t from 'tap';
import { Site } from '../../../control/http/site.ts';
import { listen } from '../../../control/node/listener.ts';
import { RequestBudget } from '../../../control/world/access/budget.ts';
import { Tally } from '../../../control/world/requests/tally.ts';
import type { Call } from '../../../twins/kit/call.ts';
import type { MountedTwin } from '../../../twins/kit/twin.ts';
import { within } from '../../kit/deadline.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { openTestSite } from '../../kit/site.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const REPORT = '/-/acme/notes/requests';

t.test('[4.4] GET …/requests?hours=<N>', async t => {
  await using site = await openTestSite();
  const headers = [['x-wrld-token', site.readToken]] as const;
  await site.ask({ target: '/acme/notes/note/notes/1', headers });
  await site.ask({ method: 'PUT', target: '/acme/notes/note/notes/1', headers });
  const { json } = await site.ask({ target: REPORT, headers });
  t.match(json, { hours: 24, journalFailures: 0, links: [] }, 'a reader may; a day unless said otherwise');
  t.same(
    json.twins.map((row: { name: string; requests: number }) => [row.name, row.requests]),
    [['note', 1]],
    'what was not let in reached no twin',
  );
  t.equal(json.twins[0].routes[0].route, 'GET /notes/{id}');
  for (const [query, hours] of [
    ['?hours=1', 1],
    ['?hours=744', 744],
    ['?hours=', 24],
  ] as const)
    t.equal((await site.ask({ target: REPORT + query, headers })).json.hours, hours, query);
  for (const query of ['0', '-1', '1.5', '745', '1e2', 'day', '%31%00', '99999999999999999999']) {
    const { status, json } = await site.ask({ target: `${REPORT}?hours=${query}`, headers });
    t.equal(status, 400, query);
    t.match(json.error, { code: 'bad-hours', message: /from 1 to 744/ }, 'it says what is accepted');
  }
});

t.test('[6-3] one trace, from the request to the webhook and the timeline', async t => {
  let asked: Call | undefined;
  const mounted = noteTwin();
  const twin: MountedTwin = {
    twin: mounted.twin,
    respond: (call, tx) => {
      asked = call;
      return mounted.respond(call, tx);
    },
  };
  await using site = await openTestSite({ twins: { note: twin } });
  const { notes } = site;
  const token = ['x-wrld-token', site.token] as const;
  const put = (path: string, body: object, more: readonly (readonly [string, string])[] = []) =>
    site.ask({
      method: 'PUT',
      target: `/acme/notes/note/${path}`,
      headers: [token, ...more],
      body: JSON.stringify(body),
    });
  await put('hooks/h', { url: 'http://hook.test/', secret: 's' });
  await put('notes/a', {}, [
    ['traceparent', `00-${TRACE}-${PARENT}-01`],
    ['tracestate', 'vendor=1'],
    ['x-wrld-caller', 'person:somebody'],
  ]);
  await notes.world.settled();
  t.equal(asked?.headers['tracestate'], 'vendor=1', 'the twin sees the sender’s state');
  t.equal(asked?.headers['x-wrld-caller'], undefined, '[4.9] and never this');

  const { json } = await site.ask({ target: `/-/acme/notes/timeline?trace=${TRACE}`, headers: [token] });
  const entries = json.entries.map((line: { entry: object }) => line.entry);
  t.match(entries, [
    { kind: 'webhook.delivered', cause: 'note:2', trace: { traceId: TRACE } },
    { kind: 'note.created', caller: 'token', trace: { traceId: TRACE, parentId: PARENT } },
  ]);
  t.equal(entries.length, 2, 'nothing of other requests');
  const [delivered, caused] = entries;
  t.not(caused.trace.spanId, PARENT, 'the world’s own span');
  t.equal(delivered.trace.parentId, caused.trace.spanId, 'continued from the request’s span');
  const sent = Object.fromEntries(notes.sent[0]?.headers ?? []);
  t.equal(sent['traceparent'], `00-${TRACE}-${delivered.trace.spanId}-01`, 'and carried on the webhook');
  await site.ask({ target: REPORT, headers: [token] });
  t.match(
    notes.sql.get('SELECT name, caller, trace FROM journal WHERE span = ?', caused.trace.spanId),
    { name: 'note', caller: 'token', trace: TRACE },
    'the span joins the entry to its line of the journal',
  );
});

t.test('[7.3] a request over the budget is answered with Retry-After', async t => {
  await using site = await openTestSite();
  let now = 0;
  const budget = new RequestBudget({ requestsPerSecond: 2, burst: 3 }, () => now);
  const limited = new Site(site.notes.world, site.around, budget);
  const listener = await listen({
    site: limited,
    from: 'client',
    log: site.around.log,
    host: '127.0.0.1',
    port: 0,
  });
  const ask = async (path: string, token: string | null = site.token) => {
    const headers = token === null ? {} : { 'x-wrld-token': token };
    const outgoing = request({ host: '127.0.0.1', port: listener.port, path, headers });
    outgoing.end();
    const [response] = await within('an answer', once(outgoing, 'response'));
    let text = '';
    for await (const chunk of response) text += chunk;
    const { statusCode: status, headers: got } = response;
    return { status, retry: got['retry-after'], text };
  };
  for (let n = 0; n < 5; n++) {
    t.equal((await ask('/')).status, 200, 'the open pages do not count');
    t.equal((await ask('/-/acme/notes/openapi.json', null)).status, 200);
    t.equal((await ask('/-/acme/notes/clock', 'tok_w_wrong')).status, 401, 'nor does who is not let in');
  }
  t.equal((await ask('/-/acme/notes/clock')).status, 200);
  t.equal((await ask('/acme/notes/note/notes/a')).status, 404);
  t.equal((await ask('/-/acme/notes/clock', site.readToken)).status, 200, 'one budget for the world');
  t.match(await ask('/-/acme/notes/clock'), { status: 429, retry: '1', text: /"code":"over-budget"/ });
  t.match(
    await ask('/acme/notes/note/notes/a'),
    { status: 429, retry: '1', text: /"note_error":"over-budget"/ },
    'on a vendor’s path in the vendor’s own shape',
  );
  const handshake = limited.upgrade({
    method: 'GET',
    target: '/acme/notes/note/socket',
    rawHeaders: ['x-wrld-token', site.token],
    from: 'client',
  });
  if (handshake.at !== 'answered') throw new Error('the handshake was let in');
  t.equal(handshake.reply.status, 429);
  t.same(Object.fromEntries(handshake.reply.headers)['Retry-After'], '1', 'a WebSocket’s handshake too');
  t.equal((await ask('/-/acme/notes/clock', 'tok_w_wrong')).status, 401, 'who is not let in learns nothing');
  now += 500;
  t.equal((await ask('/-/acme/notes/clock')).status, 200, 'and it is granted again');
  await listener.close();
});

t.test('[4.9] requests one by one, and one of them whole, for whoever may read', async t => {
  await using site = await openTestSite({
    outside: {
      look: async () => ({
        lines: [
          {
            ...{ seq: 7, at: Date.UTC(2026, 0, 30), outcome: 'refused', run: 'default', method: 'GET' },
            ...{ host: 'a.test', path: '/x', rule: 'not-granted', status: 502, ms: 1, trace: null },
          },
        ],
        minutes: new Map([[site.notes.wall.at, { granted: 0, refused: 1, times: new Tally() }]]),
        since: 0,
      }),
    },
  });
  const write = [
    ['x-wrld-token', site.token],
    ['authorization', 'Bearer sk_live_abcdefghijklmnop'],
    ['content-type', 'application/json'],
  ] as const;
  await site.ask({
    method: 'PUT',
    target: '/acme/notes/note/notes/a?x=1',
    headers: write,
    body: '{"tag":"b"}',
  });
  await site.ask({ target: '/acme/notes/note/notes/none', headers: write });
  const read = async (path: string) =>
    (await site.ask({ target: `${REPORT}/${path}`, headers: [['x-wrld-token', site.readToken]] })).json;
  const { lines, next, outside } = await read('lines');
  t.match(lines, [
    { id: 't2', outcome: 'twin', twin: 'note', method: 'GET', path: '/notes/none', status: 404 },
    { id: 't1', method: 'PUT', path: '/notes/a', status: 200, caller: 'token' },
    { id: 'o7', outcome: 'refused', rule: 'not-granted' },
  ]);
  t.equal(next, null);
  t.equal(outside, true);
  const whole = await read('lines/t1');
  t.match(whole, {
    line: { id: 't1' },
    entry: { twin: 'note', position: 1 },
    exchange: {
      request: { method: 'PUT', path: '/notes/a', query: 'x=1', body: { text: '{"tag":"b"}' } },
      answer: { status: 200 },
    },
  });
  t.notMatch(JSON.stringify(whole), /sk_live_|tok_w_/, 'and nobody is told a credential');
  t.equal((await read('lines/t2')).entry, null, 'what changed nothing has none');
  t.match(await read('minutes'), { minutes: [{ twin: 1, failed: 1, granted: 0, refused: 1 }] });
  for (const path of [
    'lines?limit=0',
    'lines?limit=201',
    'lines?since=1',
    'lines?outcome=none',
    'minutes?minutes=x',
  ])
    t.match(await read(path), { error: { code: /^bad-/ } }, path);
});
