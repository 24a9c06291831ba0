import t from 'tap';
import { Recording } from '../../../../control/world/recordings/recording.ts';
import { type Handlers, parseHandlers } from '../../../../twins/kit/handlers.ts';

const GET = { method: 'GET', path: '/v1/a' };
const said = (text: string) => ({ status: 200, raw: { text } });
const read = (recording: Recording): Handlers => {
  const parsed = parseHandlers(recording.text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.handlers;
};

t.test('a request asked twice is one handler with two replies; another one is its own', async t => {
  const recording = new Recording(null, false);
  t.equal(recording.add(GET, said('1'), []), null);
  t.equal(recording.add({ ...GET, body: { a: 1 } }, said('2'), []), null);
  t.equal(recording.add({ ...GET }, said('3'), []), null);
  t.strictSame(read(recording), {
    version: 1,
    handlers: [
      { id: 'recorded 1: GET /v1/a', match: { exact: GET }, replies: [said('1'), said('3')] },
      { id: 'recorded 2: GET /v1/a', match: { exact: { ...GET, body: { a: 1 } } }, reply: said('2') },
    ],
  });
});

t.test('what somebody wrote stays before it; what was recorded before is recorded anew', async t => {
  const before = new Recording(null, false);
  before.add(GET, said('old'), []);
  before.add({ ...GET, path: '/v1/b' }, said('kept'), []);
  const held = read(before);
  const mine = { id: 'mine', match: { path: '/x' }, reply: { text: 'x' } };
  const recording = new Recording({ ...held, scope: 'key', handlers: [...held.handlers, mine] }, true);
  recording.add(GET, said('new'), []);
  recording.add({ ...GET, path: '/v1/c' }, said('more'), []);
  const { handlers, ...rest } = read(recording);
  t.strictSame(rest, { version: 1, scope: 'key', unmatched: 'error' });
  t.strictSame(
    handlers.map(({ id, reply }) => [id, reply]),
    [
      ['mine', { text: 'x' }],
      ['recorded 1: GET /v1/a', said('new')],
      ['recorded 2: GET /v1/b', said('kept')],
      ['recorded 3: GET /v1/c', said('more')],
    ],
  );
});

t.test('nothing that looks like a key goes into the file, whatever made it', async t => {
  const recording = new Recording(null, false);
  const key = ['sk', '_live_', 'aB3dE5gH7jK9mN1pQ2'].join('');
  t.match(recording.add(GET, said(key), []), /looks like a key/);
  t.match(recording.add({ ...GET, headers: { 'x-a': key } }, said(''), []), /looks like a key/);
  t.match(recording.add(GET, said('my own one'), ['my own one']), /looks like a key/);
  t.strictSame(read(recording).handlers, []);
});

t.test('it is full at some point, and says so', async t => {
  const recording = new Recording(null, false);
  for (let n = 0; n < 1_000; n++) t.equal(recording.add({ ...GET, body: n }, said(''), []), null);
  t.equal(recording.add({ ...GET, body: 'one more' }, said(''), []), 'the recording is full');
  const large = new Recording(null, false);
  t.equal(large.add(GET, said('a '.repeat(30 * 1024 * 1024)), []), 'the recording is full');
});
