// What a world on the edge keeps (4.11): its runtime is killed in the middle of work, and nobody asks it anything for a
// while.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { bundleEdge } from '../../scripts/edge-bundle.ts';
import { within } from '../kit/deadline.ts';
import { type EdgeHost, edgeWorld, startEdge } from '../kit/edge-host.ts';
import { askHost, hostDirectory } from '../kit/many-worlds.ts';

const bundle = await bundleEdge({ minify: false });
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** The runtimes that this process has started. */
function runtimes(): readonly number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => {
      try {
        const parent = / PPid:\s*(\d+)|\nPPid:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
        const isOurs = Number(parent?.[1] ?? parent?.[2]) === process.pid;
        return isOurs && basename(readlinkSync(`/proc/${pid}/exe`)) === 'workerd';
      } catch {
        return false;
      }
    });
}

/** As the machine's own failing would. */
async function kill(edge: EdgeHost): Promise<void> {
  const pids = runtimes();
  if (pids.length !== 1) throw new Error(`${pids.length} runtimes`);
  process.kill(pids[0]!, 'SIGKILL');
  await Promise.resolve(edge[Symbol.asyncDispose]()).catch(() => {});
}

const post = (edge: EdgeHost, path: string, token: string, body: string) =>
  askHost(edge, 'POST', path, { token, headers: form, body });

const skip = process.platform === 'linux' ? false : 'the runtime is found by /proc';

t.test(
  '[4.11] what was acknowledged is there after the runtime was killed in the middle of work',
  { skip },
  async t => {
    const folder = await hostDirectory(t);
    const acknowledged: string[] = [];
    let token: string;
    let branch: { readonly token: string };
    {
      const edge = await startEdge({ bundle, folder });
      ({ token } = await edgeWorld(edge, 'acme/shop'));
      let killed = false;
      const work = async (worker: number): Promise<void> => {
        for (let n = 0; !killed; n++) {
          const email = `w${worker}-${n}@acme.test`;
          const answer = await post(edge, '/acme/shop/stripe/v1/customers', token, `email=${email}`).catch(
            () => null,
          );
          if (answer?.status === 200) acknowledged.push(email);
        }
      };
      const working = [0, 1, 2, 3].map(work);
      const enough = async (): Promise<void> => {
        while (acknowledged.length < 40) await pause(5);
      };
      await within('forty answers', enough());
      branch = await edgeWorld(edge, 'acme/branch', { from: 'acme/shop' });
      await kill(edge);
      killed = true;
      await Promise.all(working);
    }
    await using edge = await startEdge({ bundle, folder });
    const found = new Set<string>();
    const positions: number[] = [];
    for (let after: string | null = '0'; after !== null; ) {
      const page = await askHost(edge, 'GET', `/-/acme/shop/log/stripe?after=${after}`, { token });
      for (const entry of page.json.entries) {
        positions.push(entry.position);
        for (const { after: body } of entry.changes) if (body?.email !== undefined) found.add(body.email);
      }
      after = page.json.next;
    }
    t.strictSame(
      acknowledged.filter(email => !found.has(email)),
      [],
      `${acknowledged.length} were acknowledged`,
    );
    t.strictSame(
      positions,
      positions.map((_, index) => index + 1),
      'and the log has no holes',
    );
    t.match((await askHost(edge, 'GET', '/-/ping')).json, { worlds: ['acme/branch', 'acme/shop'] });
    t.match(await askHost(edge, 'GET', '/-/acme/branch/map', branch), { status: 200 });
  },
);

/** Kinds of entries of the newest kind, as the store of some world has them: looked at without asking the world. */
function kindsIn(folder: string): readonly string[] {
  const kinds: string[] = [];
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.sqlite')) continue;
    try {
      using store = new DatabaseSync(join(folder, path), { readOnly: true });
      for (const row of store.prepare('SELECT kind FROM entry').all()) kinds.push(String(row['kind']));
    } catch {
      // The inventory's, or one of the runtime's own.
    }
  }
  return kinds;
}

t.test('[4.11] what falls due happens with nobody asking, also after a kill', { skip }, async t => {
  const folder = await hostDirectory(t);
  {
    const edge = await startEdge({ bundle, folder });
    const { token } = await edgeWorld(edge, 'acme/due');
    const stripe = async (path: string, body: string) => {
      const answer = await post(edge, `/acme/due/stripe/v1/${path}`, token, body);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json.id as string;
    };
    const customer = await stripe('customers', 'email=a@acme.test');
    const method = await stripe(`payment_methods/pm_card_visa/attach`, `customer=${customer}`);
    const product = await stripe('products', 'name=Gold');
    const price = await stripe(
      'prices',
      `product=${product}&unit_amount=500&currency=usd&recurring[interval]=month`,
    );
    const ends = Math.ceil(Date.now() / 1000) + 7;
    await stripe(
      'subscriptions',
      `customer=${customer}&items[0][price]=${price}&default_payment_method=${method}&trial_end=${ends}`,
    );
    await kill(edge);
  }
  const before = kindsIn(folder);
  t.ok(before.length >= 5, `${before.length} entries`);
  await using _ = await startEdge({ bundle, folder });
  const due = async (): Promise<void> => {
    while (kindsIn(folder).length === before.length) await pause(50);
  };
  await within('the trial to end', due(), 40_000);
  t.ok(kindsIn(folder).length > before.length);
});
