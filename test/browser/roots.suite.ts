// The real vendors on the world's page, in a real Chromium: a world in another process is the vendor; it is copied from the page,
// and what both sides changed is settled there.
import { join } from 'node:path';
import t from 'tap';
import { openWorlds, startServe } from '../kit/command-line.ts';
import { faultsOf, openBrowserWorld } from './opened-world.ts';
import { CHROMIUM, poorlyReadable } from './readable.ts';

t.test(
  '[2.7, 4.6] roots on the page',
  { skip: CHROMIUM === undefined ? 'no Chromium is installed' : false, timeout: 120_000 },
  async t => {
    const { browser, ask, stripe, place, pictures } = await openBrowserWorld(t);
    const worlds = await openWorlds();
    t.teardown(worlds.remove);
    await using vendor = await startServe(await worlds.make('real', { name: 'acme/real' }));
    const there = async (path: string, form: { readonly [name: string]: string }) => {
      const answer = await fetch(`${vendor.up.worldUrl}/stripe/v1/${path}`, {
        method: 'POST',
        headers: { 'x-wrld-token': vendor.up.token, authorization: 'Bearer sk_test_x' },
        body: new URLSearchParams(form),
      });
      return (await answer.json()) as { readonly id: string };
    };
    const context = await browser.newContext();
    const page = await context.newPage();
    const faults = faultsOf(page);
    await page.goto(`${place}#roots`);
    await page.getByText('No twin has a real vendor behind it.').waitFor();

    const ada = await there('customers', { name: 'Ada' });
    const url = `${vendor.up.worldUrl}/stripe`;
    t.equal(
      (await ask('twins/stripe/root', 'PUT', { url, refresh: { every: null, atMost: '0s' } })).status,
      200,
    );
    await page.reload();
    await page.getByText('none: wrld world credential set stripe').waitFor();
    t.equal((await ask('twins/stripe/credential', 'PUT', { credential: vendor.up.token })).status, 200);
    await page.reload();
    const seen = page.locator('dt', { hasText: 'Last seen whole' }).locator('xpath=following-sibling::dd[1]');
    t.equal(await seen.innerText(), 'never');
    await page.getByRole('button', { name: 'Refresh stripe now' }).click();
    await seen.locator('time').waitFor();

    await there(`customers/${ada.id}`, { name: 'Ada King' });
    await stripe(`/v1/customers/${ada.id}`, { name: 'Ada Lovelace' });
    await page.getByRole('button', { name: 'Refresh stripe now' }).click();
    const row = page.getByRole('listitem').filter({ hasText: `customer ${ada.id}` });
    await row.waitFor();
    t.match(await row.innerText(), /\/name\s+Here\s+Ada Lovelace\s+At the vendor\s+Ada King/);
    for (const [width, colorScheme] of [
      [1100, 'light'],
      [380, 'dark'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      t.strictSame(await poorlyReadable(page), [], `${width} ${colorScheme}`);
      await page.screenshot({ path: join(pictures, `page-roots-conflict-${width}.png`), fullPage: true });
    }
    await page.getByRole('button', { name: `Take theirs of customer ${ada.id}` }).click();
    await page.getByText('One record is resolved.').waitFor();
    await row.waitFor({ state: 'detached' });
    t.match(await (await ask(`records/stripe/customer`)).json(), {
      records: [{ id: ada.id, body: { name: 'Ada King' } }],
    });

    const { key } = (await (await ask('keys', 'POST', { name: 'reader', scope: 'read' })).json()) as {
      key: string;
    };
    const guest = await (await browser.newContext()).newPage();
    await guest.goto(`${place}#key=${key}`);
    await guest.getByText('reads only').waitFor();
    await guest.getByRole('link', { name: 'Roots' }).click();
    await guest.getByRole('heading', { name: 'stripe' }).waitFor();
    t.equal(await guest.getByRole('button', { name: 'Refresh stripe now' }).count(), 0, 'a guest only looks');
    t.strictSame(faults, []);
  },
);
