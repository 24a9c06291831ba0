// The world's own page in a real Chromium: it opens without a token on this machine, shows what happens as it
// happens, moves the clock, makes and revokes keys, and reads only with a read-only key. Run by
// `npm run test:browser`; SCREENSHOTS=<folder> keeps the pictures there.
import { join } from 'node:path';
import t from 'tap';
import { faultsOf, openBrowserWorld } from './opened-world.ts';
import { CHROMIUM, poorlyReadable } from './readable.ts';

const VIEWS = [
  'timeline',
  'twins',
  'requests',
  'refusals',
  'conversations',
  'scenario',
  'webhooks',
  'changesets',
  'roots',
  'branches',
  'keys',
] as const;

t.test(
  '[4.9] the world’s own page',
  { skip: CHROMIUM === undefined ? 'no Chromium is installed' : false, timeout: 120_000 },
  async t => {
    const { control, browser, ask, stripe, place, pictures } = await openBrowserWorld(t);
    await t.test('[5.3-4] opens without a token, and goes to its own origin by itself', async t => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const faults = faultsOf(page);
      await page.goto(`${control.baseUrl}/-/acme/shop/`);
      await page.waitForURL(place);
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      const [cookie] = await context.cookies(place);
      t.match(cookie, { name: '__Host-wrld-session', httpOnly: true, secure: true, path: '/' });

      await stripe('/v1/customers', {
        email: 'live@b.test',
        name: '<img src=x onerror="document.title=1">',
      });
      const line = page.locator('.timeline > li', { hasText: 'customer.created' });
      await line.waitFor();
      t.pass('an entry appears as it lands');
      await line.locator('summary').click();
      await line.locator('pre').first().waitFor();
      t.match(await line.innerText(), 'live@b.test');
      const request = line.locator('dd').first();
      t.match(
        await request.innerText(),
        /POST \/v1\/customers[\s\S]*email = live@b\.test/,
        'the request as it was sent',
      );
      t.equal(await page.title(), 'acme/shop', 'what a client wrote is text');
      t.equal(await page.locator('main img').count(), 0);

      await page.locator('#clock', { hasText: 'wall clock; advancing sets it, and it stands' }).waitFor();
      await page.getByRole('button', { name: '+1h' }).click();
      await page.locator('#clock .soft', { hasText: /^set$/ }).waitFor();
      t.match(await (await ask('clock')).json(), { frozen: true }, 'one step from a clock that was not set');
      await page.getByLabel('Instant to set').fill('2030-01-01T00:00:00Z');
      await page.getByRole('button', { name: 'Set' }).click();
      await page.locator('#clock', { hasText: '2030-01-01 00:00:00' }).waitFor();
      await page.getByRole('button', { name: '+31d' }).click();
      await page.locator('#clock', { hasText: '2030-02-01 00:00:00' }).waitFor();
      t.match(await (await ask('clock')).json(), { at: '2030-02-01T00:00:00.000Z', frozen: true });
      await page.getByLabel('Instant to set').fill('2020-01-01T00:00:00Z');
      await page.getByRole('button', { name: 'Set' }).click();
      await page.locator('#notice.bad').waitFor();
      t.match(await page.locator('#notice').innerText(), /only moves forward|cannot be set before/);
      t.strictSame(
        faults.filter(text => !/status of 409/.test(text)),
        [],
      );
      await context.close();
    });

    await t.test('[5.3-6] a read-only key’s link reads, and ends with its key', async t => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${place}#keys`);
      await page.getByLabel('Name').fill('friend');
      await page.getByLabel('reads only').check();
      await page.getByRole('button', { name: 'Make a key' }).click();
      const link = await page.locator('pre', { hasText: '#key=' }).innerText();
      const other = await browser.newContext();
      const guest = await other.newPage();
      await guest.goto(link);
      await guest.getByText('reads only').waitFor();
      t.notMatch(guest.url(), /tok_k_/, 'the key is out of the address bar');
      t.equal(await guest.getByRole('link', { name: 'Keys' }).count(), 0);
      t.equal(await guest.getByRole('button', { name: '+1h' }).count(), 0);
      await guest.locator('.timeline > li').first().waitFor();
      await page.getByRole('button', { name: 'Revoke friend' }).click();
      await page.getByText('friend is revoked.').waitFor();
      await guest.goto(`${place}?again`);
      // On this machine the page of the same origin then opens by itself (5.3-4), with a session of its own.
      await guest.getByRole('link', { name: 'Keys' }).waitFor();
      await other.close();
      await context.close();
    });

    await t.test('[2.6] a changeset is read by field and request, and approved', async t => {
      await stripe('/v1/products', { name: '<b>Gold</b>' });
      await ask('rules', 'PUT', { changesets: { approvals: 1 } });
      t.equal((await ask('changesets', 'POST', { message: 'Gold\nplan', name: 'gold' })).status, 200);
      const context = await browser.newContext();
      const page = await context.newPage();
      const faults = faultsOf(page);
      await page.goto(`${place}#changesets`);
      const line = page.locator('.cards > li', { hasText: 'gold' });
      t.match(await line.innerText(), /Gold[\s\S]*not ready/);
      await page.getByRole('link', { name: 'gold', exact: true }).click();
      await page.getByRole('heading', { name: 'Changeset gold' }).waitFor();
      await page.getByText('0 of 1 persons approved it').waitFor();
      const action = page.locator('.plain > li', { hasText: 'stripe: create product “<b>Gold</b>”' });
      await action.locator('summary').click();
      t.match(await action.locator('pre').innerText(), 'POST /v1/products\n  name = <b>Gold</b>');
      const record = page.locator('details', { hasText: 'created product “<b>Gold</b>”' });
      await record.locator('summary').click();
      t.match(await record.getByRole('row', { name: /^name/ }).innerText(), '<b>Gold</b>');
      const deploy = page.getByRole('button', { name: 'Deploy' });
      await page.getByLabel('To deploy it, type its name').fill('gold');
      t.equal(await deploy.isDisabled(), true, 'what is not ready is not deployed, whatever is typed');
      await page.getByLabel('Note').fill('looks good');
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('It is approved.').waitFor();
      await page.getByRole('listitem').filter({ hasText: 'looks good' }).waitFor();
      t.equal(await page.getByText('persons approved it').count(), 0);
      t.equal(
        await page.getByLabel('To deploy it, type its name').inputValue(),
        'gold',
        'what was typed stays',
      );
      t.match(await (await ask('changesets/gold')).json(), { approvals: [{ note: 'looks good' }] });
      await page
        .locator('details')
        .first()
        .evaluate(each => each.setAttribute('open', ''));
      for (const width of [1100, 400]) {
        await page.setViewportSize({ width, height: 800 });
        t.strictSame(await poorlyReadable(page), [], String(width));
        await page.screenshot({ path: join(pictures, `page-changeset-${width}.png`), fullPage: true });
      }
      t.strictSame(faults, []);
      await context.close();
    });

    await t.test('a branch is made, opened and removed', async t => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${place}#branches`);
      await page.getByLabel('Label').fill('try');
      await page.getByRole('button', { name: 'Make a branch' }).click();
      const link = page.getByRole('link', { name: /^acme\/shop-try-[0-9a-f]{4}$/ });
      await link.waitFor();
      await link.click();
      await page.getByRole('heading', { name: /acme\/shop-try-/ }).waitFor();
      await page.locator('.timeline > li', { hasText: 'customer.created' }).waitFor();
      t.match(page.url(), /^http:\/\/shop-try-[0-9a-f]{4}--acme\.localhost:/);
      await page.goto(`${place}#branches`);
      await page.getByRole('button', { name: /^Remove acme\/shop-try-/ }).click();
      await page.getByText('No branches.').waitFor();
      t.strictSame(await (await ask('branches')).json(), { branches: [] });
      await context.close();
    });

    await t.test('every view can be read, in light and dark, wide and narrow', async t => {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1100, 400]) {
          const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
          const page = await context.newPage();
          const faults = faultsOf(page);
          for (const view of VIEWS) {
            await page.goto(`${place}#${view}`);
            await page.locator('main section h2').waitFor();
            await page
              .locator('main :is(table, .timeline > li, .requests > li, .cards > li, .lines > li, .empty)')
              .first()
              .waitFor();
            t.strictSame(await poorlyReadable(page), [], `${view}, ${colorScheme}, ${width}`);
            await page.screenshot({ path: join(pictures, `page-${view}-${colorScheme}-${width}.png`) });
          }
          t.strictSame(faults, []);
          await context.close();
        }
      }
    });
  },
);
