// What a test's world has beside every other: a savepoint to come back to, its calls, handlers that are put in force over
// HTTP (4.6), and somebody who answers in a twin's place.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { RunningControl } from '../../../control/node/control.ts';
import { holdToContract } from '../../kit/contract.ts';
import { openWorldFolders, startQuietly } from '../../kit/control-world.ts';

const folders = await openWorldFolders(t);

type Told = { readonly status: number; readonly body: unknown };

/** At the world's own endpoints, each answer held against its documentation. */
async function ask(control: RunningControl, method: string, path: string, body?: unknown): Promise<Told> {
  const target = `/-/acme/shop/${path}`;
  const answer = await fetch(`${control.baseUrl}${target}`, {
    method,
    headers: { 'x-wrld-token': control.token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const { status } = answer;
  const contentType = answer.headers.get('content-type') ?? undefined;
  holdToContract({ world: 'acme/shop', method, target, status, contentType, text });
  return { status, body: text === '' ? null : JSON.parse(text) };
}

const toSavepoint = { to: { savepoint: true } };

async function customers(control: RunningControl, form?: { readonly email: string }): Promise<Told> {
  const answer = await fetch(`${control.worldUrl}/stripe/v1/customers`, {
    method: form === undefined ? 'GET' : 'POST',
    headers: { 'x-twins-key': control.token },
    ...(form && { body: new URLSearchParams(form) }),
  });
  return { status: answer.status, body: await answer.json() };
}

const emails = async (control: RunningControl): Promise<readonly string[]> =>
  ((await customers(control)).body as { data: { email: string }[] }).data.map(({ email }) => email);

t.test('a world comes back to its savepoint: records, log, clock, kept answers, and again', async t => {
  await using control = await startQuietly(await folders.world());
  t.match(await ask(control, 'POST', 'reset', toSavepoint), {
    status: 409,
    body: { error: { code: 'no-savepoint' } },
  });
  await customers(control, { email: 'ada@example.com' });
  t.equal((await ask(control, 'PUT', 'savepoint')).status, 204);
  const before = (await ask(control, 'GET', 'clock')).body as { frozen: boolean };
  for (let round = 0; round < 2; round += 1) {
    await customers(control, { email: 'bob@example.com' });
    await ask(control, 'PUT', 'clock', { at: '2100-01-01T00:00:00Z' });
    t.strictSame(await emails(control), ['bob@example.com', 'ada@example.com']);
    t.match(await ask(control, 'POST', 'reset', toSavepoint), {
      status: 200,
      body: { to: 'savepoint', positions: { stripe: 1 } },
    });
    t.strictSame(await emails(control), ['ada@example.com']);
    t.match((await ask(control, 'GET', 'clock')).body, { frozen: before.frozen }, 'it runs again');
  }
  await customers(control, { email: 'eve@example.com' });
  await ask(control, 'PUT', 'savepoint');
  await customers(control, { email: 'zoe@example.com' });
  await ask(control, 'POST', 'reset', toSavepoint);
  t.strictSame(await emails(control), ['eve@example.com', 'ada@example.com'], 'the newest savepoint counts');
  t.equal((await ask(control, 'GET', 'calls')).status, 404, 'a world that is no test’s keeps no calls');
});

t.test('a branch that left since then keeps its world from going back, and has no savepoint', async t => {
  await using control = await startQuietly(await folders.world());
  const first = (await ask(control, 'POST', 'branches', {})).body as { name: string };
  await ask(control, 'PUT', 'savepoint');
  t.equal((await ask(control, 'POST', 'reset', toSavepoint)).status, 200, `${first.name} left before it`);
  const { name, token } = (await ask(control, 'POST', 'branches', {})).body as {
    name: string;
    token: string;
  };
  t.match(await ask(control, 'POST', 'reset', toSavepoint), {
    status: 409,
    body: { error: { code: 'has-branches' } },
  });
  const there = await fetch(`${control.baseUrl}/-/${name}/savepoint`, {
    method: 'PUT',
    headers: { 'x-wrld-token': token },
  });
  t.equal(there.status, 404);
});

t.test('[4.6] a twin’s handlers are read, put and taken away, and come back with a reset', async t => {
  const config = {
    name: 'acme/shop',
    services: {
      stripe: { twin: 'stripe' },
      openai: { twin: 'openai', colocate: { scenarioPath: 'openai.json' } },
    },
  };
  const folder = await folders.world(config);
  await using control = await startQuietly(folder);
  const file = join(folder, 'openai.json');
  const document = { version: 1, handlers: [{ id: 'a', match: {}, reply: { text: 'x' } }] };
  for (const method of ['GET', 'PUT', 'DELETE'])
    t.equal(
      (await ask(control, method, 'twins/stripe/scenario', method === 'PUT' ? document : undefined)).status,
      404,
    );
  t.equal((await ask(control, 'GET', 'twins/openai/scenario')).status, 404, 'none so far');
  t.equal((await ask(control, 'PUT', 'twins/openai/scenario', document)).status, 204);
  t.strictSame(await ask(control, 'GET', 'twins/openai/scenario'), { status: 200, body: document });
  t.strictSame(JSON.parse(await readFile(file, 'utf8')), document, 'it is the file');
  t.match(await ask(control, 'PUT', 'twins/openai/scenario', { version: 1, handlers: [{}] }), {
    status: 400,
    body: { error: { code: 'bad-handlers', message: /\/handlers\/0/ } },
  });
  t.strictSame((await ask(control, 'GET', 'twins/openai/scenario')).body, document, 'the one before stays');
  await ask(control, 'PUT', 'savepoint');
  t.equal((await ask(control, 'DELETE', 'twins/openai/scenario')).status, 204);
  await t.rejects(readFile(file));
  await ask(control, 'POST', 'reset', toSavepoint);
  t.strictSame((await ask(control, 'GET', 'twins/openai/scenario')).body, document);
});

t.test('who answers in a twin’s place is asked of each call, and all calls are kept', async t => {
  await using control = await startQuietly(await folders.world(), {
    prompt: (vendor, { path }) =>
      vendor === 'stripe' && path === '/v1/balance'
        ? Promise.resolve({ status: 418, json: { short: true } })
        : null,
  });
  const answer = await fetch(`${control.worldUrl}/stripe/v1/balance`, {
    headers: { 'x-twins-key': control.token },
  });
  t.strictSame([answer.status, await answer.json()], [418, { short: true }]);
  await customers(control, { email: 'ada@example.com' });
  await fetch(`${control.worldUrl}/stripe/twin`, { headers: { 'x-twins-key': control.token } });
  const { calls } = (await ask(control, 'GET', 'calls')).body as { calls: { headers: object }[] };
  t.match(calls, [
    { method: 'GET', path: '/v1/balance', status: 418 },
    { method: 'POST', path: '/v1/customers', status: 200, body: { email: 'ada@example.com' } },
  ]);
  t.equal(calls.length, 2, 'what the twin answers besides its vendor’s API is no call');
  t.notMatch(JSON.stringify(calls), control.token);
});
