import t from 'tap';
import { RECORD_BODY_BYTES_MAX } from '../../../control/world/limits.ts';
import { LIVES } from '../../../control/world/past/state-at.ts';
import { UNDER_VALUE, WHOLE_TYPE } from '../../../control/world/store/record-scans.ts';
import { byWord } from '../../../twins/kit/tx.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { openNoteWorld } from '../../kit/note-world.ts';

t.test(
  '[6-1] a call that changes something is one entry, with who asked, what and in which trace',
  async t => {
    await using at = await openNoteWorld();
    await at.ask('POST', '/bulk', {
      puts: [
        ['a', { tag: 'x' }],
        ['b', {}],
      ],
    });
    await at.ask('POST', '/bulk', { puts: [['a', { tag: 'y' }]], deletes: ['b', 'never-there'] });
    const page = await at.world.log('note', 0);
    t.equal(page!.next, null);
    t.strictSame(page!.entries, [
      {
        id: 'note:1',
        twin: 'note',
        position: 1,
        kind: 'note.created',
        occurredAt: '2026-01-31T00:00:00.000Z',
        recordedAt: '2026-01-31T00:00:00.000Z',
        actor: { type: 'client' },
        caller: 'token',
        changes: [
          { op: 'put', type: 'note', id: 'a', after: { id: 'a', tag: 'x' } },
          { op: 'put', type: 'note', id: 'b', after: { id: 'b' } },
        ],
        request: { method: 'POST', path: '/bulk', body: '{"puts":[["a",{"tag":"x"}],["b",{}]]}' },
        trace: {
          traceId: '0af7651916cd43dd8448eb211c80319c',
          spanId: 'b7ad6b7169203331',
          parentId: '00f067aa0ba902b7',
        },
      },
      {
        ...page!.entries[1]!,
        position: 2,
        kind: 'note.updated',
        changes: [
          { op: 'put', type: 'note', id: 'a', before: { id: 'a', tag: 'x' }, after: { id: 'a', tag: 'y' } },
          { op: 'delete', type: 'note', id: 'b', before: { id: 'b' } },
        ],
      },
    ]);
  },
);

t.test('[6-1] a call that changes nothing leaves no entry', async t => {
  await using at = await openNoteWorld();
  await at.ask('PUT', '/notes/a', { tag: 'x' });
  const quiet: [string, string, unknown?][] = [
    ['GET', '/notes/a'],
    ['GET', '/notes/none'],
    ['PUT', '/notes/a', { tag: 'x' }],
    ['DELETE', '/notes/none'],
    ['POST', '/bulk', { puts: [['c', {}]], deletes: ['c'] }],
    ['POST', '/due/d', { at: 1e15 }],
    ['POST', '/once/k', { seconds: 1 }],
    ['POST', '/list', { limit: 10 }],
  ];
  for (const [method, path, body] of quiet) {
    t.ok((await at.ask(method, path, body)).status < 500, `${method} ${path}`);
  }
  t.equal((await at.world.log('note', 0))!.entries.length, 1);
});

t.test(
  'a twin that throws changes nothing, answers 500 in the vendor’s shape, and quotes nobody in the log',
  async t => {
    await using at = await openNoteWorld();
    const answer = await at.ask('POST', '/throw', { card: '4242424242424242' });
    t.equal(answer.status, 500);
    t.equal(answer.body.note_error, 'twin_failed');
    t.equal((await at.ask('GET', '/notes/half')).status, 404);
    t.equal((await at.world.log('note', 0))!.entries.length, 0);
    t.equal(at.logged.length, 1);
    t.match(JSON.stringify(at.logged), /note-twin\.ts/, 'where it was thrown');
    t.notMatch(JSON.stringify(at.logged), /4242/, 'not what with');
    t.equal((await at.ask('PUT', '/notes/a', {})).status, 200, 'the world goes on');
  },
);

t.test(
  '[8] a record larger than any request can make it is 413 in the vendor’s shape, and so are too many at once',
  async t => {
    await using at = await openNoteWorld();
    const third = Math.ceil(RECORD_BODY_BYTES_MAX / 3);
    t.equal((await at.ask('PUT', '/notes/big', { text: 'x'.repeat(RECORD_BODY_BYTES_MAX) })).status, 413);
    t.equal(
      (await at.ask('PUT', '/notes/wide', { text: '€'.repeat(third) })).status,
      413,
      'bytes, not characters',
    );
    t.equal((await at.ask('PUT', '/notes/fits', { text: '€'.repeat(333_000) })).status, 200);
    const puts = Array.from({ length: 8193 }, (_, n) => [`n${n}`, {}]);
    t.equal((await at.ask('POST', '/bulk', { puts })).status, 413);
    t.equal((await at.world.log('note', 0))!.entries.length, 1);
  },
);

t.test('[5.4] the read token reads; nothing it asks for changes a log', async t => {
  const twins = { plain: noteTwin(), strict: noteTwin({ vendor: 'strict', requestScopes: ['read'] }) };
  await using at = await openNoteWorld({ twins });
  for (const vendor of ['plain', 'strict']) await at.ask('PUT', '/notes/a', { tag: 'x' }, { vendor });
  const table: [vendor: string, method: string, path: string, body: unknown, status: number][] = [
    ['plain', 'GET', '/notes/a', undefined, 200],
    ['plain', 'HEAD', '/notes/a', undefined, 404],
    ['plain', 'POST', '/list', { limit: 1 }, 403],
    ['plain', 'PUT', '/notes/b', {}, 403],
    ['plain', 'GET', '/writes', undefined, 403],
    ['strict', 'POST', '/list', { limit: 1 }, 200],
    ['strict', 'PUT', '/notes/a', { tag: 'x' }, 200],
    ['strict', 'PUT', '/notes/b', {}, 403],
    ['strict', 'POST', '/due/d', { at: 1e15 }, 403],
    ['strict', 'POST', '/once/k', { seconds: 9 }, 403],
  ];
  for (const [vendor, method, path, body, status] of table) {
    const answer = await at.ask(method, path, body, { vendor, scope: 'read', caller: 'token:read' });
    t.equal(answer.status, status, `${vendor} ${method} ${path}`);
    if (status === 403) t.equal(answer.body.note_error, 'read_only', 'the vendor’s own shape');
  }
  for (const vendor of ['plain', 'strict']) t.equal((await at.world.log(vendor, 0))!.entries.length, 1);
  t.equal(
    at.sql.get<{ n: number }>('SELECT (SELECT count(*) FROM due) + (SELECT count(*) FROM memo) AS n')!.n,
    0,
  );
});

t.test('[5.4] the vendor’s own moves happen under the read token too', async t => {
  await using at = await openNoteWorld();
  await at.ask('POST', '/due/d', { at: at.wall.at + 1000 });
  at.wall.at += 5000;
  const answer = await at.ask('GET', '/notes/d', undefined, { scope: 'read' });
  t.equal(answer.body.at, at.wall.at - 4000);
  const [entry] = (await at.world.log('note', 0))!.entries;
  t.match(entry, { actor: { type: 'system' }, occurredAt: '2026-01-31T00:00:01.000Z' });
  t.notOk(entry!.caller, '[4.9] the system’s entries carry no caller');
});

t.test('lists are by creation, page by record, and see what the call itself wrote', async t => {
  await using at = await openNoteWorld();
  const list = async (query: object) => {
    const { items, more } = (await at.ask('POST', '/list', query)).body;
    return [items.map(({ id }: { id: string }) => id).join(''), more];
  };
  for (const id of ['c', 'a', 'e', 'b', 'd']) {
    at.wall.at += 1000;
    await at.ask('PUT', `/notes/${id}`, { tag: id < 'c' ? 'low' : 'high', done: id === 'a' });
  }
  const start = at.wall.at - 5000;
  await at.ask('PUT', '/notes/c', { tag: 'high', changed: true });
  const table: [asked: object, ids: string, more: boolean][] = [
    [{ limit: 9 }, 'dbeac', false],
    [{ limit: 2 }, 'db', true],
    [{ limit: 5 }, 'dbeac', false],
    [{ limit: 2, after: 'b' }, 'ea', true],
    [{ limit: 2, after: 'e' }, 'ac', false],
    [{ limit: 2, before: 'a' }, 'be', true],
    [{ limit: 9, before: 'a' }, 'dbe', false],
    [{ limit: 9, after: 'd', before: 'a' }, 'be', false],
    [{ limit: 9, order: 'oldest' }, 'caebd', false],
    [{ limit: 2, order: 'oldest', after: 'a' }, 'eb', true],
    [{ limit: 2, order: 'oldest', before: 'b' }, 'ae', true],
    [{ limit: 9, after: 'none' }, '', false],
    [{ limit: 0 }, '', false],
    [{ limit: 9, where: { tag: 'low' } }, 'ba', false],
    [{ limit: 1, where: { tag: 'high' } }, 'd', true],
    [{ limit: 9, where: { done: 'true', tag: 'low' } }, 'a', false],
    [{ limit: 9, where: { tag: 'none' } }, '', false],
    [{ limit: 9, createdFrom: start + 3000 }, 'dbe', false],
    [{ limit: 9, createdBefore: start + 3000 }, 'ac', false],
    [{ limit: 9, createdFrom: start + 1500, createdBefore: start + 4001 }, 'bea', false],
    [{ limit: 9, createdFrom: start + 9000 }, '', false],
    [{ limit: 2, skip: 2 }, 'ea', true],
    [{ limit: 2, skip: 3, order: 'oldest' }, 'bd', false],
    [{ limit: 2, skip: 5 }, '', false],
    [{ limit: 1, skip: 1, where: { tag: 'high' } }, 'e', true],
    [{ limit: 1, skip: 1, after: 'd', before: 'c' }, 'e', true],
  ];
  for (const [asked, ids, more] of table) t.strictSame(await list(asked), [ids, more], JSON.stringify(asked));
  t.equal(
    (await at.ask('POST', '/list', { limit: 1, where: { done: 'true' } })).status,
    500,
    'no such index',
  );

  await at.ask('DELETE', '/notes/e');
  await at.ask('PUT', '/notes/e', { tag: 'high' });
  t.strictSame(await list({ limit: 9 }), ['edbac', false], 'a record made again is new');
});

t.test('a cursor goes on after its page, whatever became of the records of that page', async t => {
  await using at = await openNoteWorld();
  for (const id of ['a', 'b', 'c', 'd', 'e']) await at.ask('PUT', `/notes/${id}`, { tag: 'x' });
  const list = async (query: object) => {
    const { items, cursor = null } = (await at.ask('POST', '/list', query)).body;
    return { ids: items.map(({ id }: { id: string }) => id).join(''), cursor };
  };
  for (const where of [{}, { where: { tag: 'x' } }]) {
    const newest = await list({ ...where, limit: 2 });
    t.equal(newest.ids, 'ed');
    const oldest = await list({ ...where, limit: 2, order: 'oldest' });
    t.equal(oldest.ids, 'ab');
    t.strictSame(await list({ ...where, limit: 3, cursor: newest.cursor }), { ids: 'cba', cursor: null });
    t.strictSame(await list({ ...where, limit: 3, order: 'oldest', cursor: oldest.cursor }), {
      ids: 'cde',
      cursor: null,
    });
  }
  const { cursor } = await list({ limit: 2 });
  for (const id of ['d', 'e']) await at.ask('DELETE', `/notes/${id}`);
  await at.ask('PUT', '/notes/f', { tag: 'x' });
  t.strictSame(await list({ limit: 9, cursor }), { ids: 'cba', cursor: null });
  t.equal((await list({ limit: 2, before: 'a' })).cursor, null, 'a page that was read backwards has none');
  for (const nonsense of ['', 'e%', 'zzzzzzzzzzzzzzz'])
    t.strictSame(await list({ limit: 9, cursor: nonsense }), { ids: '', cursor: null }, nonsense);
});

t.test('a condition that no index has is met across the whole range', async t => {
  const seen: unknown[] = [];
  const base = noteTwin();
  const twin = {
    ...base,
    respond: (call: Parameters<typeof base.respond>[0], tx: Parameters<typeof base.respond>[1]) => {
      if (call.path !== '/odd') return base.respond(call, tx);
      seen.push(tx.list('note', { limit: 3, after: 'n500', keep: body => Number(body['n']) % 100 === 1 }));
      return { status: 200, headers: [], body: null };
    },
  };
  await using at = await openNoteWorld({ twins: { note: twin } });
  await at.ask('POST', '/bulk', { puts: Array.from({ length: 600 }, (_, n) => [`n${n}`, { n }]) });
  await at.ask('GET', '/odd');
  t.match(seen, [{ items: [{ n: 401 }, { n: 301 }, { n: 201 }], more: true }]);
});

t.test('values that are long, empty or look like a pair are told apart in an index', async t => {
  await using at = await openNoteWorld();
  const long = 'v'.repeat(300);
  const puts = [
    ['long1', { tag: `${long}1`, done: true }],
    ['long2', { tag: `${long}2`, done: true }],
    ['empty', { tag: '' }],
    ['null', { tag: null }],
    ['pair', { tag: '["x","true"]', done: true }],
    ['single', { tag: 'x', done: true }],
    ['number', { tag: 7 }],
  ];
  await at.ask('POST', '/bulk', { puts });
  const found = async (where: object) =>
    (await at.ask('POST', '/list', { where, limit: 9 })).body.items.map(({ id }: { id: string }) => id);
  t.strictSame(await found({ tag: `${long}1` }), ['long1']);
  t.strictSame(await found({ tag: `${long}2`, done: 'true' }), ['long2']);
  t.strictSame(await found({ tag: long }), []);
  t.strictSame(await found({ tag: '' }), ['empty']);
  t.strictSame(await found({ tag: '7' }), ['number']);
  t.strictSame(await found({ tag: 'x', done: 'true' }), ['single']);
});

t.test('a list takes any of several values of a field, in the one order, each record once', async t => {
  await using at = await openNoteWorld();
  // Ten of each, in turn.
  const puts = Array.from({ length: 40 }, (_, n) => [`n${n}`, { tag: ['a', 'b', 'c', 'd'][n % 4] }]);
  await at.ask('POST', '/bulk', { puts });
  const paged = async (query: object): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { body } = await at.ask('POST', '/list', { ...query, ...(cursor && { cursor }) });
      ids.push(...body.items.map(({ id }: { id: string }) => id));
      if (!body.more) return ids;
      cursor = body.cursor;
    }
  };
  const wanted = puts.flatMap(([id], n) => (n % 4 === 0 || n % 4 === 3 ? [String(id)] : []));
  for (const limit of [1, 3, 19, 20, 50]) {
    t.strictSame(await paged({ where: { tag: ['a', 'd', 'a', 'none'] }, order: 'oldest', limit }), wanted);
    t.strictSame(await paged({ where: { tag: ['d', 'a'] }, limit }), wanted.toReversed());
  }
  const query = { where: { tag: ['a', 'd'] }, order: 'oldest', limit: 2 };
  t.strictSame(await paged({ ...query, skip: 3, limit: 50 }), wanted.slice(3));
  const near = (await at.ask('POST', '/list', { ...query, before: 'n12' })).body.items;
  t.match(near, [{ id: 'n8' }, { id: 'n11' }]);
  t.strictSame(await paged({ where: { tag: [] }, limit: 2 }), []);
});

t.test('words are found whatever their case, and the texts of an object by their names', async t => {
  await using at = await openNoteWorld({ twins: { note: noteTwin({ words: ['name', 'metadata'] }) } });
  const found = async (field: string, text: string, key: string | null = null) => {
    const { body } = await at.ask('POST', '/list', { where: byWord(field, text, key), limit: 9 });
    return body.items.map(({ id }: { id: string }) => id);
  };
  await at.ask('PUT', '/notes/a', { name: 'Jane DOE', metadata: { order: 'X1', shop: 'x1', n: 1 } });
  await at.ask('PUT', '/notes/b', { name: null, metadata: { order: `${'l'.repeat(300)}1` } });
  await at.ask('PUT', '/notes/c', { name: 'jane doe', metadata: { order: `${'l'.repeat(300)}2` } });
  t.strictSame(await found('name', 'JANE doe'), ['c', 'a']);
  t.strictSame(await found('metadata', 'x1', 'order'), ['a']);
  t.strictSame(await found('metadata', 'x1', 'other'), []);
  t.strictSame(await found('metadata', `${'L'.repeat(300)}2`, 'order'), ['c'], 'long ones to their end');
  await at.ask('PUT', '/notes/a', { name: 'Jane DOE', metadata: { shop: 'y' } });
  t.strictSame(await found('metadata', 'x1', 'order'), [], 'and no more when they are gone');
  t.strictSame(await found('metadata', 'Y', 'shop'), ['a']);
  await at.ask('DELETE', '/notes/a');
  t.strictSame(await found('name', 'jane doe'), ['c']);
});

t.test('a list that was empty is not, once the same call has put what it asks for', async t => {
  const note = noteTwin();
  const found: number[][] = [];
  const respond: typeof note.respond = (call, tx) => {
    const look = (): number => tx.list('note', { where: { tag: 'x' }, limit: 9 }).items.length;
    const seen = [look(), look()];
    tx.put('note', 'n', { tag: 'x' });
    seen.push(look(), look());
    tx.delete('note', 'n');
    found.push([...seen, look()]);
    return note.respond(call, tx);
  };
  await using at = await openNoteWorld({ twins: { note: { twin: note.twin, respond } } });
  await at.ask('GET', '/notes/n');
  t.strictSame(found, [[0, 0, 1, 1, 0]]);
});

t.test('what a call took away and then failed over is there again, in lists and in the queue', async t => {
  const note = noteTwin();
  const respond: typeof note.respond = (call, tx) => {
    if (call.path !== '/fail') return note.respond(call, tx);
    tx.delete('note', 'n');
    tx.cancel('d');
    t.equal(tx.list('note', { limit: 9 }).items.length, 0);
    throw new Error('no');
  };
  await using at = await openNoteWorld({ twins: { note: { twin: note.twin, respond } } });
  await at.ask('PUT', '/notes/n', { tag: 'x' });
  await at.ask('POST', '/due/d', { at: at.wall.at + 1000, payload: {} });
  t.equal((await at.ask('POST', '/fail')).status, 500);
  t.match((await at.ask('POST', '/list', { limit: 9 })).body.items, [{ id: 'n' }]);
  at.wall.at += 1000;
  t.match((await at.ask('GET', '/notes/d')).body, { tag: 'due' });
});

t.test('an index that is declared later is made for the records that are there', async t => {
  const file = `${t.testdir()}/world.db`;
  {
    await using at = await openNoteWorld({ file });
    const puts = Array.from({ length: 300 }, (_, n) => [`n${n}`, { color: n % 2 ? 'red' : 'blue' }]);
    await at.ask('POST', '/bulk', { puts });
  }
  await using at = await openNoteWorld({ file, twins: { note: noteTwin({ indexes: [['color']] }) } });
  const { body } = await at.ask('POST', '/list', { where: { color: 'red' }, order: 'oldest', limit: 2 });
  t.match(body, { items: [{ id: 'n1' }, { id: 'n3' }], more: true });
  t.equal((await at.ask('POST', '/list', { where: { tag: 'x' }, limit: 2 })).status, 500);
});

t.test('[storage] every list is a range of one index, and so is a page of the past', async t => {
  await using at = await openNoteWorld();
  const plan = (text: string, ...values: readonly (string | number)[]) =>
    at.sql
      .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, ...values)
      .map(({ detail }) => detail)
      .join('; ');
  const range = 'twin=\\? AND type=\\? AND ord>\\? AND ord<\\?';
  for (const text of Object.values(WHOLE_TYPE)) {
    const found = plan(text, 'note', 'note', 0, 9, 1);
    t.match(found, new RegExp(`SEARCH head USING (COVERING )?INDEX head_order \\(${range}\\)`));
    t.notMatch(found, /SCAN|TEMP B-TREE/);
  }
  for (const text of Object.values(UNDER_VALUE)) {
    const found = plan(text, 'note', 'note', 'tag', 'x', 0, 9, 1);
    t.match(
      found,
      /SEARCH (i|idx) USING PRIMARY KEY \(twin=\? AND type=\? AND name=\? AND value=\? AND ord>\? AND ord<\?\)/,
    );
    t.notMatch(found, /SCAN|TEMP B-TREE/);
  }
  const past = plan(LIVES, 'note', 'note', 0, 9, 9, 1);
  t.match(past, new RegExp(`MERGE.*head_order \\(${range}\\).*gone USING PRIMARY KEY \\(${range}\\)`));
  t.notMatch(past, /SCAN|TEMP B-TREE/);
});

t.test('an answer is remembered until it expires by the world’s clock', async t => {
  await using at = await openNoteWorld();
  const ask = async () => (await at.ask('POST', '/once/key', { seconds: 60 })).body.n;
  const first = await ask();
  at.wall.at += 59_000;
  t.equal(await ask(), first);
  at.wall.at += 1000;
  t.not(await ask(), first);
  t.equal(at.sql.get<{ n: number }>('SELECT count(*) AS n FROM memo')!.n, 1, 'expired ones are swept');
});

t.test('[2.7] [2.13] the map counts resources, the status says what was mounted at boot', async t => {
  await using at = await openNoteWorld({ twins: { zeta: noteTwin({ vendor: 'zeta' }), note: noteTwin() } });
  await at.ask(
    'POST',
    '/bulk',
    {
      puts: [
        ['a', {}],
        ['b', {}],
        ['c', {}],
      ],
    },
    { vendor: 'note' },
  );
  await at.ask(
    'POST',
    '/bulk',
    {
      puts: [
        ['a', { tag: 'x' }],
        ['d', {}],
      ],
      deletes: ['b', 'c'],
    },
    { vendor: 'note' },
  );
  await at.ask('PUT', '/hooks/h', { url: 'https://a.test/' }, { vendor: 'note' });
  const screens = [{ id: 'board', path: '/board' }];
  t.strictSame(await at.world.map(), [
    {
      twin: 'note',
      position: 3,
      screens,
      root: null,
      resources: [
        { type: 'hook', count: 1 },
        { type: 'note', count: 2 },
      ],
    },
    { twin: 'zeta', position: 0, screens, root: null, resources: [] },
  ]);
  t.strictSame(at.world.vendors, ['note', 'zeta']);
  t.strictSame(await at.world.twinStatus('note'), {
    twin: 'note',
    identity: { mounted: { package: '@test/note', version: '1.0.0' }, pinned: '@test/note@1.0.0' },
    execution: { rootConnected: false, deploy: null },
    dataOrigin: 'unrecorded',
    protocol: 'http',
    screens,
    root: null,
    credential: { sealed: false },
    refresh: { lastAt: null, nextAt: null, progress: null, fault: null, conflicts: [] },
    position: 3,
    receipt: null,
  });
  t.equal(await at.world.twinStatus('none'), null);
  t.equal(await at.world.log('none', 0), null);
  t.equal(at.world.manifest('zeta')!.vendor, 'zeta');
  t.equal((await at.ask('GET', '/', undefined, { vendor: 'none' })).status, 404);
});

t.test('[4.4] a log is read in pages, each from the position the one before names', async t => {
  await using at = await openNoteWorld();
  for (let n = 0; n < 501; n++) await at.ask('PUT', `/notes/${n % 7}`, { n });
  const first = (await at.world.log('note', 0))!;
  t.strictSame([first.entries.length, first.next], [500, '500']);
  const second = (await at.world.log('note', Number(first.next)))!;
  t.match(second, { entries: [{ position: 501 }], next: null });
  const filler = 'x'.repeat(900_000);
  for (let n = 0; n < 4; n++) await at.ask('PUT', '/notes/large', { filler, n });
  const large = (await at.world.log('note', 501))!;
  t.ok(
    large.entries.length < 4 && large.next === String(501 + large.entries.length),
    'pages end by size too',
  );
});

t.test('a closed world answers 503 and no longer touches its store', async t => {
  const at = await openNoteWorld();
  await at.world.close();
  t.equal((await at.ask('PUT', '/notes/a', {})).status, 503);
  await at[Symbol.asyncDispose]();
});
