// What a world says of a store that has lost something: it does not start, nothing is changed, and the line says what
// brings the store back.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { makeBackup } from '../../../control/node/backup.ts';
import { type ServedControl, serveControl } from '../../../control/node/control.ts';
import { ControlError } from '../../../control/node/control-error.ts';
import { openLog } from '../../../control/node/log.ts';

const start = (folder: string): Promise<ServedControl> =>
  serveControl({ folder, host: '127.0.0.1', port: 0, log: openLog('silent') });

async function refusalOf(folder: string): Promise<string> {
  try {
    await (await start(folder)).close();
  } catch (error) {
    if (error instanceof ControlError && error.code === 'store-unusable') return error.message;
    throw error;
  }
  throw new Error('it started');
}

async function createCustomer({ worldUrl, token }: ServedControl): Promise<void> {
  const answer = await fetch(`${worldUrl}/stripe/v1/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-wrld-token': token },
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
}

const storeOf = (folder: string): string => join(folder, '.wrld', 'world');

/** A world with ten customers, down; and its store as a SIGKILL would have left it, in `killed`. */
async function usedWorld(folder: string): Promise<string> {
  mkdirSync(join(folder, '.wrld'));
  const config = { name: 'acme/shop', services: { stripe: { twin: 'stripe' } } };
  writeFileSync(join(folder, '.wrld', 'world.json'), JSON.stringify(config));
  const control = await start(folder);
  for (let n = 0; n < 10; n++) await createCustomer(control);
  cpSync(storeOf(folder), join(folder, 'killed'), { recursive: true });
  await control.close();
  return folder;
}

const WAYS_OUT = [/wrld world restore --as-is/, /wrld world reset/];

t.test(
  'a store that is gone, emptied, cut short or of another world is refused, with what helps',
  async t => {
    const root = t.testdir({ world: {}, other: {} });
    const folder = await usedWorld(join(root, 'world'));
    const store = storeOf(folder);
    const file = join(store, 'world.db');
    const whole = readFileSync(file);
    const marks = readFileSync(join(store, 'marks.json'));
    t.match(JSON.parse(String(marks)), { positions: { stripe: 10 }, schema: Number });
    const other = await usedWorld(join(root, 'other'));
    const table: [what: string, change: () => void, says: RegExp][] = [
      ['emptied', () => truncateSync(file, 0), /is empty, and it was not/],
      ['gone', () => rmSync(file), /is gone/],
      ['gone with its marks', () => rmSync(store, { recursive: true }), /is gone/],
      ['cut in half', () => truncateSync(file, whole.length / 2), /is damaged/],
      ['another', () => cpSync(join(storeOf(other), 'world.db'), file), /is another store/],
    ];
    for (const [what, change, says] of table) {
      mkdirSync(store, { recursive: true });
      writeFileSync(file, whole);
      writeFileSync(join(store, 'marks.json'), marks);
      change();
      const before = existsSync(file) ? readFileSync(file) : null;
      const message = await refusalOf(folder);
      for (const line of [says, ...WAYS_OUT]) t.match(message, line, what);
      t.strictSame(existsSync(file) ? readFileSync(file) : null, before, 'it is left as it was');
    }
    writeFileSync(file, whole);
    const to = join(folder, '.wrld', 'backups', 'kept.backup');
    await makeBackup({ files: { database: file, blobs: join(store, 'blobs') }, world: 'acme/shop', to });
    rmSync(file, { force: true });
    t.match(await refusalOf(folder), /wrld world restore .*kept\.backup/, 'the newest backup is named');
  },
);

t.test('a store whose write-ahead log is gone or damaged is refused', async t => {
  const folder = await usedWorld(t.testdir());
  const store = storeOf(folder);
  const asKilled = (): void => {
    const marks = readFileSync(join(store, 'marks.json'));
    rmSync(store, { recursive: true });
    cpSync(join(folder, 'killed'), store, { recursive: true });
    writeFileSync(join(store, 'marks.json'), marks);
  };
  const wal = join(store, 'world.db-wal');
  asKilled();
  rmSync(wal);
  rmSync(join(store, 'world.db-shm'), { force: true });
  t.match(
    await refusalOf(folder),
    /lacks what was written \(stripe ends at \d+ of 10\)|is empty, and it was not/,
  );
  asKilled();
  const bytes = readFileSync(wal);
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  writeFileSync(wal, bytes);
  t.match(await refusalOf(folder), /write-ahead log is damaged after \d+ of \d+ pages/);
  t.strictSame(readFileSync(wal), bytes);
  asKilled();
  await using control = await start(folder);
  await createCustomer(control);
});

t.test('an old copy in the place of the store is refused, and so is half a day without marks', async t => {
  const folder = await usedWorld(t.testdir());
  const store = storeOf(folder);
  const old = readFileSync(join(store, 'world.db'));
  {
    await using control = await start(folder);
    await createCustomer(control);
  }
  writeFileSync(join(store, 'world.db'), old);
  t.match(await refusalOf(folder), /stripe ends at 10 of 11/);
  rmSync(join(store, 'marks.json'));
  await using control = await start(folder);
  await createCustomer(control);
});
