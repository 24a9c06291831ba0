// Programs that nobody here wrote, end to end in a world: what they believe of Stripe is asked of Stripe's own SDK, in this
// process, and of their own databases.
import { readFile } from 'node:fs/promises';
import { setGlobalProxyFromEnv } from 'node:http';
import { join } from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import t from 'tap';
import { openWorlds, type RunningUp, startUp } from '../kit/command-line.ts';
import { lacksPackages } from '../kit/packages.ts';
import { tellBilling } from './billing.ts';
import { findPostgres, startPostgres } from './postgres.ts';
import { PROGRAMS } from './program.ts';
import type { Stage } from './stage.ts';
import { tellSync } from './sync.ts';

const NEEDED = { variable: 'WRLD_STRANGERS_INSTALL', what: 'the programs' };
const skip = (await lacksPackages(PROGRAMS, NEEDED)) ?? false;
// Whatever is waited for stands before the first test: between two of them tap takes it for the end.
const found = await findPostgres();
const lacking = typeof found === 'string' ? found : false;
const worlds = await openWorlds();
t.teardown(worlds.remove);

t.test('the billing plugin of an auth library', { skip }, async t => {
  const folder = await worlds.make('billing');
  await using world = await startUp(folder, '--sandbox');
  await using stage = await entered(folder, world);
  await tellBilling(t, stage);
});

t.test('a sync engine into a Postgres', { skip: skip || lacking }, async t => {
  const folder = await worlds.make('sync');
  await using world = await startUp(folder, '--sandbox');
  await using stage = await entered(folder, world);
  await using postgres = await startPostgres(found as Exclude<typeof found, string>);
  await tellSync(t, stage, postgres);
});

/** Puts this process into the world, too, as a second client. */
async function entered(folder: string, { up }: RunningUp): Promise<Stage & AsyncDisposable> {
  const restore = setGlobalProxyFromEnv({ https_proxy: up.proxyUrl });
  setDefaultCACertificates([await readFile(up.caFile, 'utf8')]);
  const [token = ''] = (await readFile(join(folder, '.wrld', 'token'), 'utf8')).split('\n');
  const { origin, pathname } = new URL(up.worldUrl);
  const ask: Stage['ask'] = async (method, path, body) => {
    const answer = await fetch(`${origin}/-${pathname}/${path}`, {
      method,
      headers: { 'x-wrld-token': token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return { folder, ask, [Symbol.asyncDispose]: async () => restore() };
}
