// [4.10] Archives at a host's own endpoints: what is taken in, what is refused, and that nothing of what broke off is left.
import { cpSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { RunningHost } from '../../../control/node/host/host.ts';
import { askHost, bareWorld, hostDirectory, startHostQuietly } from '../../kit/many-worlds.ts';
import { startSharded } from '../../kit/sharded-host.ts';

const PATH = '/-/worlds/acme/shop/archive';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const adminOf = (host: RunningHost): string => host.adminToken.secret.reveal();
const send = (host: RunningHost, method: string, body?: string, path = PATH) =>
  askHost(host, method, path, { token: adminOf(host), waitMs: 30_000, ...(body !== undefined && { body }) });
const names = async (host: RunningHost) => (await askHost(host, 'GET', '/-/ping')).json.worlds;
const arriving = (directory: string): readonly string[] => {
  const folder = join(directory, '.wrld-host/arriving');
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** The parts of an archive. */
const partsOf = (text: string): readonly string[] => text.match(/[\s\S]*?\n?\{"part":.*\n/g) ?? [];

/** Of a world with customers and a branch. */
async function archive(t: Test): Promise<readonly string[]> {
  const directory = await hostDirectory(t);
  const { token } = await bareWorld(directory, 'acme/shop');
  await using host = await startHostQuietly(directory);
  const customer = async (email: string) =>
    askHost(host, 'POST', '/acme/shop/stripe/v1/customers', { token, headers: FORM, body: `email=${email}` });
  for (let n = 0; n < 8; n++) await customer(`c${n}@acme.test`);
  const made = await askHost(host, 'POST', '/-/acme/shop/branches', { token, body: { label: 'b' } });
  t.equal(made.status, 201);
  t.match(
    await send(host, 'GET', undefined, `/-/worlds/${made.json.name}/archive`),
    { status: 409 },
    'no branch alone',
  );
  t.match(await send(host, 'GET', undefined, '/-/worlds/acme/none/archive'), { status: 404 });
  t.match(
    await askHost(host, 'GET', PATH, { token }),
    { status: 401 },
    'the world’s own token gives nothing out',
  );
  return partsOf((await send(host, 'GET')).text);
}

let first = '';
let rest: readonly string[] = [];
let header: ReturnType<typeof JSON.parse>;

t.test('[4.10] a world is given out in parts, by the admin alone', async t => {
  [first = '', ...rest] = await archive(t);
  header = JSON.parse(first.slice(0, first.indexOf('\n')));
  t.match(header, { wrld: 'archive', version: 1, twins: [{ vendor: 'stripe', twin: 'stripe' }] });
  t.equal(rest.at(-1)?.split('\n')[0], '{"end":true}');
});

const changed = (change: object): string =>
  `${JSON.stringify({ ...header, ...change })}\n{"part":0,"sum":""}\n`;

t.test('[4.10] what cannot be taken in is refused with the reason, and nothing changes', async t => {
  const directory = await hostDirectory(t);
  await using host = await startHostQuietly(directory);
  for (const [body, status, code] of [
    ['', 400, 'no-archive'],
    ['{"hello":1}\n', 400, 'no-archive'],
    [changed({ schema: 999 }), 409, 'newer-release'],
    [changed({ version: 2 }), 409, 'newer-release'],
    [changed({ worlds: [] }), 400, 'no-archive'],
    [changed({ worlds: [header.worlds[1]] }), 400, 'no-archive'],
    [changed({ worlds: [{ ...header.worlds[0], name: 'acme/other' }] }), 400, 'other-world'],
    [changed({ worlds: [{ ...header.worlds[0], name: '../../etc' }] }), 400, 'no-archive'],
    [changed({ twins: [{ vendor: 'mine', twin: './mine.ts' }] }), 400, 'no-such-vendor'],
  ] as const) {
    for (const path of [`${PATH}/check`, PATH]) {
      const answer = await send(host, 'POST', body, path);
      t.match([answer.status, answer.json.error.code], [status, code], `${path} ${body.slice(0, 40)}`);
    }
  }
  t.match(await send(host, 'POST', first, `${PATH}/check`), { status: 200, json: { name: 'acme/shop' } });
  t.match(await askHost(host, 'POST', PATH, { body: first }), { status: 401 });
  t.match(await send(host, 'PUT', rest[0]), { status: 404, json: { error: { code: 'nothing-arriving' } } });
  t.match(await send(host, 'DELETE'), { status: 404 });
  t.strictSame([await names(host), arriving(directory)], [[], []]);
});

t.test('[4.10] an archive that is damaged on its way leaves nothing', async t => {
  const directory = await hostDirectory(t);
  await using host = await startHostQuietly(directory);
  const place = rest.findIndex(part => part.includes('"c3@acme.test'));
  t.not(place, -1);
  t.match(await send(host, 'POST', first), { status: 201 });
  for (const part of rest.slice(0, place)) t.match(await send(host, 'PUT', part), { status: 200 });
  t.match(await send(host, 'PUT', rest[place + 1]!), {
    status: 409,
    json: { error: { code: 'out-of-order' } },
  });
  const twisted = rest[place]!.replace('c3@acme.test', 'c4@acme.test');
  t.match(await send(host, 'PUT', twisted), { status: 400, json: { error: { code: 'damaged' } } });
  t.strictSame([await names(host), arriving(directory)], [[], []]);
});

t.test('[4.10] an archive without some of its rows is found out at its end', async t => {
  const directory = await hostDirectory(t);
  await using host = await startHostQuietly(directory);
  const worlds = header.worlds.map((world: { readonly rows: number }) => ({
    ...world,
    rows: world.rows + 1,
  }));
  // Written so by whoever made it, with sums that are right.
  const { closePart, ARCHIVE_START } = await import('../../../control/world/archive/archive.ts');
  const { digest } = await import('../../../control/node/digest.ts');
  let part = closePart(`${JSON.stringify({ ...header, worlds })}\n`, ARCHIVE_START, digest);
  t.match(await send(host, 'POST', part.text), { status: 201 });
  let last: unknown = null;
  for (const text of rest) {
    part = closePart(text.slice(0, text.lastIndexOf('{"part":')), part.after, digest);
    last = await send(host, 'PUT', part.text);
  }
  t.match(last, { status: 400, json: { error: { code: 'damaged', message: /rows and should have/ } } });
  t.strictSame([await names(host), arriving(directory)], [[], []]);
});

t.test('[4.10] no line of an archive leads out of the world’s own folder', async t => {
  const { closePart, ARCHIVE_START } = await import('../../../control/world/archive/archive.ts');
  const { digest } = await import('../../../control/node/digest.ts');
  const directory = await hostDirectory(t);
  await using host = await startHostQuietly(directory);
  for (const line of [
    { handlers: '../../../../escaped', text: '{}' },
    { browser: '../escaped', text: '{}' },
    { blob: '../escaped', size: 1, at: 0, bytes: 'AA==' },
    { table: 'token', columns: ['scope', 'hash'] },
    { table: 'meta', columns: ['k) SELECT 1 --'] },
  ]) {
    const begun = closePart(first.slice(0, first.lastIndexOf('{"part":')), ARCHIVE_START, digest);
    const part = closePart(`{"world":"acme/shop"}\n${JSON.stringify(line)}\n`, begun.after, digest);
    t.match(await send(host, 'POST', begun.text), { status: 201 });
    t.match(await send(host, 'PUT', part.text), { status: 400, json: { error: { code: 'damaged' } } });
  }
  t.strictSame([readdirSync(directory), arriving(directory)], [['.wrld-host'], []]);
});

t.test('[4.10] what breaks off is gone with the host that took it, and may begin again', async t => {
  const directory = await hostDirectory(t);
  {
    await using host = await startHostQuietly(directory);
    t.match(await send(host, 'POST', first), { status: 201 });
    t.match(await send(host, 'PUT', rest[0]), { status: 200, json: { next: 2 } });
    t.strictSame(arriving(directory).length, 1);
    t.strictSame(await names(host), [], 'nobody is served by it');
    t.match(await send(host, 'POST', first), { status: 201 }, 'begun again, the first is forgotten');
    t.strictSame(arriving(directory).length, 1);
  }
  await using host = await startHostQuietly(directory);
  t.strictSame([await names(host), arriving(directory)], [[], []]);
  t.match(await send(host, 'POST', first), { status: 201 });
  let rows: readonly { readonly name: string; readonly token: string }[] = [];
  for (const part of rest) {
    const taken = await send(host, 'PUT', part);
    t.match(taken, { status: 200 });
    t.strictSame((await send(host, 'PUT', part)).json, taken.json, 'once more changes nothing');
    rows = taken.json.worlds ?? rows;
  }
  t.strictSame(
    rows.map(({ name }) => name),
    await names(host),
  );
  for (const { name, token } of rows)
    t.equal(
      (await askHost(host, 'GET', `/${name}/stripe/v1/customers?limit=100`, { token })).json.data.length,
      8,
    );
  t.match(await send(host, 'POST', first), { status: 409, json: { error: { code: 'taken' } } });
  t.match(await send(host, 'PUT', rest[0]), { status: 404, json: { error: { code: 'nothing-arriving' } } });
});

t.test(
  '[4.10] a host that is killed in a move has nothing of the world or all of it, and the move may go on',
  async t => {
    const directory = await hostDirectory(t);
    /** What a host finds that starts where the first was killed just now. */
    const asKilled = async (): Promise<string> => {
      const copy = join(await hostDirectory(t), 'worlds');
      cpSync(directory, copy, {
        recursive: true,
        filter: file => lstatSync(file).isDirectory() || lstatSync(file).isFile(),
      });
      return copy;
    };
    const left: string[] = [];
    {
      await using host = await startHostQuietly(directory);
      t.match(await send(host, 'POST', first), { status: 201 });
      left.push(await asKilled());
      for (const part of rest) t.match(await send(host, 'PUT', part), { status: 200 });
      left.push(await asKilled());
    }
    const [begun = '', ended = ''] = left;
    const all: readonly string[] = header.worlds.map((world: { readonly name: string }) => world.name).sort();
    await using host = await startHostQuietly(begun);
    t.strictSame([await names(host), arriving(begun)], [[], []]);
    t.match(await send(host, 'PUT', rest[0]), { status: 404 }, 'it begins anew');
    t.match(await send(host, 'POST', first), { status: 201 });
    for (const part of rest) t.match(await send(host, 'PUT', part), { status: 200 });
    t.strictSame(await names(host), all);
    await using other = await startHostQuietly(ended);
    t.strictSame(await names(other), all);
    const last = await send(other, 'PUT', rest.at(-1));
    t.equal(last.status, 200, 'its answer had not been heard');
    for (const { name, token } of last.json.worlds)
      t.equal((await askHost(other, 'GET', `/${name}/stripe/v1/customers`, { token })).json.data.length, 8);
  },
);

t.test('[4.10] a world moves to a host whose shards have the worlds, and from it', async t => {
  const directory = await hostDirectory(t);
  await using host = await startSharded(directory);
  t.match(await send(host, 'POST', first), { status: 201 });
  t.equal(arriving(directory).length, 1);
  let last: Awaited<ReturnType<typeof send>> | null = null;
  for (const part of rest) last = await send(host, 'PUT', part);
  const rows: readonly { readonly name: string; readonly token: string }[] = last!.json.worlds;
  t.strictSame((await send(host, 'PUT', rest.at(-1))).json, last!.json, 'its end once more');
  t.strictSame(
    rows.map(({ name }) => name),
    header.worlds.map((world: { readonly name: string }) => world.name),
  );
  t.strictSame([await names(host), arriving(directory)], [rows.map(({ name }) => name).sort(), []]);
  for (const { name, token } of rows) {
    const customers = await askHost(host, 'GET', `/${name}/stripe/v1/customers`, { token, waitMs: 60_000 });
    t.equal(customers.json.data.length, 8, name);
    const given = await send(host, 'GET', undefined, `/-/worlds/${name}/archive`);
    t.equal(given.status, name === 'acme/shop' ? 200 : 409, name);
  }
  t.match(await send(host, 'POST', first), { status: 409, json: { error: { code: 'taken' } } });
});
