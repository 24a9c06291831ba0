// Section 8 as a client meets it, row by row: the last value that passes and the first that does not.
import { once } from 'node:events';
import { request } from 'node:http';
import t from 'tap';
import { listen } from '../../../control/node/listener.ts';
import { within } from '../../kit/deadline.ts';
import { openTestSite } from '../../kit/site.ts';

const MEGABYTES_4 = 4 * 1024 * 1024;
const CLOCK = '/-/acme/notes/clock';

t.test('[8] a request body on a served world: 4 MB, declared or in chunks', async t => {
  await using site = await openTestSite();
  const listener = await listen({
    site: site.site,
    from: 'client',
    log: site.around.log,
    host: '127.0.0.1',
    port: 0,
  });
  const put = async (path: string, body: Buffer, headers: { [name: string]: string } = {}) => {
    const outgoing = request({
      host: '127.0.0.1',
      port: listener.port,
      method: 'PUT',
      path,
      headers: { 'x-wrld-token': site.token, ...headers },
    });
    outgoing.on('error', () => {});
    outgoing.end(body);
    const [response] = await within('an answer', once(outgoing, 'response'));
    let text = '';
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode, text };
  };
  const chunked = { 'transfer-encoding': 'chunked' };
  for (const headers of [{}, chunked]) {
    const framing = headers === chunked ? 'in chunks' : 'declared';
    const whole = await put(CLOCK, clockBody(MEGABYTES_4), headers);
    t.match(whole, { status: 200, text: /"frozen":true/ }, `${framing}: read to its last byte`);
    const over = await put(CLOCK, clockBody(MEGABYTES_4 + 1), headers);
    t.match(over, { status: 413, text: /"code":"body-too-large"/ }, framing);
    const vendor = await put('/acme/notes/note/notes/a', clockBody(MEGABYTES_4 + 1), headers);
    t.match(
      vendor,
      { status: 413, text: /"note_error":"body-too-large"/ },
      `${framing}: the vendor’s own shape`,
    );
  }
  t.equal((await put(CLOCK, clockBody(MEGABYTES_4 + 1), { 'x-wrld-token': 'tok_w_no' })).status, 401);
  await listener.close();
});

/** A clock's body of so many bytes; blanks are no part of what JSON says. */
function clockBody(bytes: number): Buffer {
  const text = '{"at":"2026-02-01T00:00:00Z"}';
  return Buffer.from(`${' '.repeat(bytes - text.length)}${text}`);
}

t.test('[8] clock advance: `<N>(s, m, h or d)`', async t => {
  await using site = await openTestSite();
  const headers = [['x-wrld-token', site.token]] as const;
  const at = '2026-02-01T00:00:00.000Z';
  await site.ask({ method: 'PUT', target: CLOCK, headers, body: JSON.stringify({ at }) });
  let now = Date.parse(at);
  const advance = (by: unknown) =>
    site.ask({ method: 'POST', target: `${CLOCK}/advance`, headers, body: JSON.stringify({ by }) });
  for (const [by, seconds] of [
    ['1s', 1],
    ['90s', 90],
    ['5m', 300],
    ['36h', 129_600],
    ['31d', 2_678_400],
    ['0s', 0],
  ] as const) {
    now += seconds * 1000;
    t.equal((await advance(by)).json.at, new Date(now).toISOString(), by);
  }
  for (const by of [
    '1',
    's',
    '1w',
    '1.5h',
    '-1h',
    '+1h',
    '1H',
    ' 1h',
    '1h ',
    '1h30m',
    '',
    '１h',
    60,
    null,
    ['1h'],
  ]) {
    const { status, json } = await advance(by);
    t.equal(status, 400, JSON.stringify(by));
    t.match(json.error.code, /^(not-a-duration|bad-body)$/);
  }
  const { json } = await site.ask({ target: CLOCK, headers });
  t.equal(json.at, new Date(now).toISOString(), 'none of those moved it');
});
