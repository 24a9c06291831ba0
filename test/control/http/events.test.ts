import { once } from 'node:events';
import { type IncomingMessage, request, Server } from 'node:http';
import { mock } from 'node:test';
import t from 'tap';
import { EventStream } from '../../../control/http/events.ts';
import { listen } from '../../../control/node/listener.ts';
import { EVENT_FOLLOWERS_MAX, EVENT_HEARTBEAT_MS } from '../../../control/world/limits.ts';
import { type News, Newsroom } from '../../../control/world/log/news.ts';
import { within } from '../../kit/deadline.ts';
import { EPOCH, openNoteWorld } from '../../kit/note-world.ts';
import { openTestSite } from '../../kit/site.ts';

const EVENTS = '/-/acme/notes/events';

t.test('[4.9] a world tells what changed, after the commit', async t => {
  await using notes = await openNoteWorld();
  const { world } = notes;
  const told: News[] = [];
  const unfollow = world.news.follow(news => {
    // The journal is written by a clock of its own.
    if (news.kind !== 'requests') told.push(news);
  });
  await notes.ask('PUT', '/notes/a', { tag: 'x' });
  await turn();
  t.same(told.splice(0), [{ kind: 'entry', twin: 'note', position: 1 }]);
  await notes.ask('GET', '/notes/a');
  await notes.ask('POST', '/throw', {});
  t.same(told.splice(0), [], 'nothing of reads, and nothing of what was rolled back');
  await notes.ask('PUT', '/hooks/h', { url: 'http://hook.test/', secret: 's' });
  await notes.ask('PUT', '/notes/b', {});
  await turn();
  await world.settled();
  t.same(
    told.splice(0).map(news => (news.kind === 'entry' ? news.position : news.kind)),
    [2, 3, 4],
    'a webhook’s outcome is an entry too',
  );
  await notes.ask('POST', '/due/soon', { at: EPOCH + 1000 });
  await world.setClock('2026-01-31T00:01:00Z');
  t.match(
    told.splice(0),
    [{ kind: 'clock' }, { kind: 'entry' }, ...told],
    'a clock that moves and what it brings',
  );
  await world.setClock('2020-01-01T00:00:00Z');
  t.same(told, [], 'a clock that is not moved is no news');
  unfollow();
  await notes.ask('PUT', '/notes/c', {});
  t.same(told, []);
});

t.test('a stream holds no more than one event of a kind, whoever slowly it is read', async t => {
  const news = new Newsroom({ once: tell => tell() });
  const stream = new EventStream(news, () => true);
  t.equal(await chunk(stream), 'retry: 2000\n\n', 'says at once that it is open');
  for (let position = 1; position <= 10_000; position++) news.tell({ kind: 'entry', twin: 'a', position });
  news.tell({ kind: 'clock' });
  news.tell({ kind: 'entry', twin: 'b', position: 1 });
  news.tell({ kind: 'clock' });
  t.equal(
    await chunk(stream),
    'event: entry\ndata: {"kind":"entry","twin":"a","position":10000}\n\n' +
      'event: clock\ndata: {"kind":"clock"}\n\n' +
      'event: entry\ndata: {"kind":"entry","twin":"b","position":1}\n\n',
  );
  const next = stream.next();
  await stream.return();
  t.same(await next, { done: true, value: undefined }, 'a reader that leaves ends what waits');
  t.equal(news.followers, 0);
});

t.test('a stream ends with what let it in, and with the world', async t => {
  const news = new Newsroom({ once: tell => tell() });
  let stands = true;
  const stream = new EventStream(news, () => stands, 5);
  await chunk(stream);
  t.equal(await chunk(stream), ': here\n\n', 'a sign of life');
  stands = false;
  for (;;) if ((await within('the end', stream.next())).done) break;
  t.equal(news.followers, 0, '[5.3] the session ended, so did the stream');
  const other = new EventStream(news, () => true);
  await chunk(other);
  news.close();
  t.ok((await within('the end', other.next())).done);
  const late = new EventStream(news, () => true);
  t.ok((await within('the end', late.next())).done, 'nobody follows a world that has ended');
});

t.test('[4.9] events on the wire', async t => {
  await using site = await openTestSite();
  const listener = await listen({
    site: site.site,
    from: 'client',
    log: site.around.log,
    host: '127.0.0.1',
    port: 0,
  });
  const open = opener(listener.port);
  const { response, read } = await open(site.readToken);
  t.equal(response.statusCode, 200, 'a reader may follow');
  t.equal(response.headers['content-type'], 'text/event-stream; charset=utf-8');
  t.equal(response.headers['cache-control'], 'no-store');
  await read(/retry: \d+\n\n/);
  await site.notes.ask('PUT', '/notes/a', {});
  await read(/event: entry\ndata: \{"kind":"entry","twin":"note","position":1\}\n\n/);
  const gone = await open(site.token);
  await gone.read(/retry/);
  t.equal(site.notes.world.news.followers, 2);
  gone.response.destroy();
  await within('the follower’s leaving', follows(site.notes.world.news, 1));
  t.equal((await open('tok_w_wrong')).response.statusCode, 401);

  const head = await site.ask({ method: 'HEAD', target: EVENTS, headers: [['x-wrld-token', site.token]] });
  t.equal(head.status, 200);
  t.equal(site.notes.world.news.followers, 1, 'HEAD follows nothing');

  const ended = once(response, 'end');
  // What is cut is what was waited for in vain.
  const cuts = mock.method(Server.prototype, 'closeAllConnections');
  t.teardown(() => cuts.mock.restore());
  site.notes.world.news.close();
  await listener.close();
  await within('the stream’s end', ended);
  t.equal(cuts.mock.callCount(), 0, 'a listener that drains does not wait for streams');
  t.ok(response.complete, 'nor cuts them');
});

t.test('[5.3] a stream outlives what opened it by no more than a heartbeat', async t => {
  await using site = await openTestSite();
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const admission = site.site.admit({
    method: 'GET',
    target: EVENTS,
    rawHeaders: ['x-wrld-token', site.token],
    from: 'client',
    local: false,
  });
  if (admission.at !== 'admitted') throw new Error('not let in');
  const { body } = await admission.answer(new Uint8Array(0));
  const stream = body as EventStream;
  await chunk(stream);
  mock.timers.tick(EVENT_HEARTBEAT_MS);
  t.equal(await chunk(stream), ': here\n\n', 'its token still opens the world');
  site.tokens.issue();
  mock.timers.tick(EVENT_HEARTBEAT_MS);
  t.ok((await within('the end', stream.next())).done, 'the tokens were rotated');
  t.equal(site.notes.world.news.followers, 0);
});

t.test('a world has a limit of followers', async t => {
  await using site = await openTestSite();
  const { news } = site.notes.world;
  const ways = Array.from({ length: EVENT_FOLLOWERS_MAX }, () => news.follow(() => {}));
  const headers = [['x-wrld-token', site.token]] as const;
  const full = await site.ask({ target: EVENTS, headers });
  t.match(full, {
    status: 503,
    json: { error: { code: 'too-many-followers' } },
    headers: { 'retry-after': '15' },
  });
  ways[0]!();
  t.equal((await site.ask({ target: EVENTS, headers })).status, 200);
});

/** News of a commit is told as soon as it lasts, which the answer waits for too. */
async function turn(): Promise<void> {
  await new Promise(resolve => setImmediate(resolve));
}

async function chunk(stream: EventStream): Promise<string> {
  const { value } = await within('an event', stream.next());
  return new TextDecoder().decode(value);
}

/** Resolves when so many follow; each leaving takes a turn or two of the event loop. */
async function follows(news: Newsroom, count: number): Promise<void> {
  while (news.followers !== count) await new Promise(resolve => setImmediate(resolve));
}

function opener(port: number) {
  return async (token: string) => {
    const outgoing = request({ host: '127.0.0.1', port, path: EVENTS, headers: { 'x-wrld-token': token } });
    outgoing.end();
    const [response] = (await within('an answer', once(outgoing, 'response'))) as [IncomingMessage];
    let text = '';
    response.on('data', (data: Buffer) => {
      text += data.toString();
    });
    response.on('error', () => {});
    const read = async (what: RegExp): Promise<void> => {
      while (!what.test(text)) await within(String(what), once(response, 'data'));
    };
    return { response, read };
  };
}
