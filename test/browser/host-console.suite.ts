// The console of a host in a real Chromium: the way in, making, opening, rotating and removing worlds, ten thousand of them
// looked through, a host that goes and comes, the keyboard alone, narrow and dark. Run by `npm run test:browser`;
// SCREENSHOTS=<folder> keeps the pictures there.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import t from 'tap';
import type { HostHealth, InventoryRow } from '../../control/hosting/host-worlds.ts';
import { startEdge } from '../kit/edge-host.ts';
import { freePort } from '../kit/free-port.ts';
import { askHost, bareWorld, hostDirectory, startHostQuietly } from '../kit/many-worlds.ts';
import { inaccessible } from './accessible.ts';
import { faultsOf, openBrowser, picturesFolder } from './opened-world.ts';
import { CHROMIUM, poorlyReadable } from './readable.ts';
import { madeUpRow, madeUpRows, STAND_IN_ADMIN, startStandIn } from './stand-in-host.ts';

const WIDE = { width: 1100, height: 800 };
const NARROW = { width: 380, height: 780 };
const CONSOLE = '/-/console/';

t.test(
  '[4.10] the console of a host',
  { skip: CHROMIUM === undefined ? 'no Chromium is installed' : false, timeout: 290_000 },
  async t => {
    const browser = await openBrowser(t);
    const pictures = await picturesFolder(t);
    const picture = (page: Page, name: string) =>
      page.screenshot({ path: join(pictures, `console-${name}.png`), fullPage: true });

    /** Opens the console with the token, as a person does. */
    async function enter(
      baseUrl: string,
      token: string,
      options: BrowserContextOptions = {},
    ): Promise<{ context: BrowserContext; page: Page; faults: string[] }> {
      const context = await browser.newContext({ viewport: WIDE, ...options });
      const page = await context.newPage();
      const faults = faultsOf(page);
      await page.goto(`${baseUrl}${CONSOLE}`);
      await page.getByLabel('Admin token').fill(token);
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByRole('heading', { name: 'Worlds', exact: true }).waitFor();
      return { context, page, faults };
    }

    await t.test('the admin token alone opens it, and a reload forgets it', async t => {
      const directory = await hostDirectory(t);
      const shop = await bareWorld(directory, 'acme/shop');
      await using host = await startHostQuietly(directory);
      const admin = host.adminToken.secret.reveal();
      const context = await browser.newContext({ viewport: WIDE });
      const page = await context.newPage();
      const faults = faultsOf(page);
      const asked: string[] = [];
      page.on('request', request => asked.push(request.url()));
      await page.goto(`${host.baseUrl}/-/console`);
      t.equal(page.url(), `${host.baseUrl}${CONSOLE}`, 'it has a slash at its end');
      const input = page.getByLabel('Admin token');
      await picture(page, 'sign-in');
      for (const [wrong, why] of [
        [shop.token, /token of one world/],
        ['tok_a_wrong', /does not take this token/],
        ['two words', /letters, digits, - and _/],
        ['ключ', /letters, digits, - and _/],
      ] as const) {
        await input.fill(wrong);
        await page.keyboard.press('Enter');
        await page.getByRole('alert').filter({ hasText: why }).waitFor();
      }
      await picture(page, 'sign-in-wrong');
      t.strictSame(await inaccessible(page), []);
      t.equal(await page.getByRole('link', { name: 'Worlds' }).count(), 0, 'nothing is shown before');
      await input.fill(` ${admin}\n`);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'acme/shop' }).waitFor();
      const kept = await page.evaluate(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
      );
      t.equal(kept, '[{},{},""]');
      t.strictSame(await context.storageState({ indexedDB: true }), { cookies: [], origins: [] });
      t.notOk(
        asked.some(url => url.includes(admin)),
        'and no address has it',
      );
      t.notMatch(page.url(), admin);
      await page.reload();
      await input.waitFor();
      t.equal(await input.inputValue(), '');
      t.strictSame(faults, []);
      await context.close();
    });

    await t.test(
      '[4.11] of the edge it is the same one: a world is made, found, rotated and removed',
      async t => {
        await using edge = await startEdge();
        const { context, page, faults } = await enter(edge.baseUrl, edge.admin);
        await page.getByRole('link', { name: 'New world' }).click();
        await page.getByLabel('Org', { exact: true }).fill('acme');
        await page.getByLabel('World', { exact: true }).fill('shop');
        await page.getByLabel('stripe').check();
        await page.getByRole('button', { name: 'Make it' }).click();
        const panel = page.getByRole('region', { name: 'Tokens of acme/shop' });
        const first = await panel.getByLabel('Token: reads and writes', { exact: true }).inputValue();
        const map = async (token: string): Promise<number> =>
          (await askHost(edge, 'GET', '/-/acme/shop/map', { token })).status;
        t.equal(await map(first), 200);
        await page.getByRole('link', { name: 'Worlds' }).click();
        await page.getByRole('link', { name: 'acme/shop' }).click();
        await page.getByRole('heading', { name: 'acme/shop' }).waitFor();
        await picture(page, 'edge-world');
        await page.getByRole('button', { name: 'Rotate its tokens…' }).click();
        await page.getByRole('button', { name: 'Rotate them now' }).click();
        const fresh = page.getByRole('region', { name: 'New tokens of acme/shop' });
        t.not(await fresh.getByLabel('Token: reads and writes', { exact: true }).inputValue(), first);
        t.equal(await map(first), 401);
        await page.getByLabel('To remove it, type its name').fill('acme/shop');
        await page.getByRole('button', { name: 'Remove it' }).click();
        await page.getByText('acme/shop is gone, with everything in it.').waitFor();
        t.match(await askHost(edge, 'GET', '/-/ping'), { json: { worlds: [] } });
        t.strictSame(faults, []);
        await context.close();
      },
    );

    await t.test('a world is made, opened, owned, rotated and removed', async t => {
      const directory = await hostDirectory(t);
      await bareWorld(directory, 'acme/crm', ['smtp']);
      await using host = await startHostQuietly(directory);
      const admin = host.adminToken.secret.reveal();
      const { context, page, faults } = await enter(host.baseUrl, admin);
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');

      await page.getByRole('link', { name: 'New world' }).click();
      await page.getByLabel('Org', { exact: true }).fill('acme');
      await page.getByLabel('World', { exact: true }).fill('Shop');
      await page.getByLabel('stripe').check();
      await page.getByLabel('openai').check();
      await page.getByRole('button', { name: 'Make it' }).click();
      await page.locator('#notice.bad', { hasText: 'lower-case' }).waitFor();
      t.equal(await page.getByLabel('stripe').isChecked(), true, 'what was typed stays');
      await page.getByLabel('World', { exact: true }).fill('shop');
      await picture(page, 'new');
      await page.getByRole('button', { name: 'Make it' }).click();
      const panel = page.getByRole('region', { name: 'Tokens of acme/shop' });
      const token = await panel.getByLabel('Token: reads and writes', { exact: true }).inputValue();
      t.match(token, /^tok_w_/);
      t.match(await panel.getByLabel('Read token: reads', { exact: true }).inputValue(), /^tok_r_/);
      await panel.getByRole('button', { name: 'Copy: Token' }).click();
      await page.getByText('Token is copied.').waitFor();
      t.equal(await copied(), token);
      t.match(await askHost(host, 'GET', '/-/acme/shop/map', { token }), {
        status: 200,
        json: { twins: [{ twin: 'openai' }, { twin: 'stripe' }] },
      });
      await picture(page, 'made');
      t.strictSame(await inaccessible(page), []);

      await page.getByRole('link', { name: 'Worlds' }).click();
      t.equal(await page.getByLabel('Token: reads and writes').count(), 0, 'they are shown once');
      t.match(await page.getByRole('row').allInnerTexts(), [
        /World\s+Vendors/,
        /acme\/crm\s+smtp/,
        /acme\/shop/,
      ]);
      await page.getByRole('link', { name: 'acme/shop' }).click();
      await page.getByRole('heading', { name: 'acme/shop' }).waitFor();

      const opening = context.waitForEvent('page');
      await page.getByRole('button', { name: 'Open its page' }).click();
      const opened = await opening;
      await opened.getByRole('heading', { name: 'Timeline' }).waitFor();
      const { port } = new URL(host.baseUrl);
      t.equal(opened.url(), `http://shop--acme.localhost:${port}/-/acme/shop/`, 'at its own origin');
      t.equal(await opened.evaluate('window.opener'), null);
      t.equal(await opened.getByRole('link', { name: 'Keys' }).count(), 1, 'to write');
      await opened.close();

      await page.getByLabel('Owning org').fill('acme-inc');
      await page.getByRole('button', { name: 'Record' }).click();
      await page.getByText('acme-inc owns acme/shop from now on.').waitFor();
      t.equal(await page.getByLabel('Owning org').count(), 0);

      await page.getByRole('button', { name: 'Rotate its tokens…' }).click();
      await page.getByRole('button', { name: 'Leave them' }).click();
      t.match(await askHost(host, 'GET', '/-/acme/shop/map', { token }), { status: 200 });
      await page.getByRole('button', { name: 'Rotate its tokens…' }).click();
      await picture(page, 'world');
      await page.getByRole('button', { name: 'Rotate them now' }).click();
      const fresh = page.getByRole('region', { name: 'New tokens of acme/shop' });
      const renewed = await fresh.getByLabel('Token: reads and writes', { exact: true }).inputValue();
      t.not(renewed, token);
      t.match(await askHost(host, 'GET', '/-/acme/shop/map', { token }), { status: 401 });
      await page.getByRole('button', { name: 'Copy the token' }).click();
      await page.getByText('The token is copied.').waitFor();
      t.equal(await copied(), renewed);
      // Another hand rotates it: the list that this page has is old, and it reads it again by itself.
      await askHost(host, 'POST', '/-/worlds/acme/shop/rotate', { token: admin });
      const [again] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('button', { name: 'Open it to read only' }).click(),
      ]);
      await again.getByText('reads only').waitFor();
      t.equal(await again.getByRole('link', { name: 'Keys' }).count(), 0);
      await again.close();

      const branch = await askHost(host, 'GET', '/-/worlds', { token: admin });
      const current = branch.json.worlds.find((row: InventoryRow) => row.name === 'acme/shop').token;
      const made = await askHost(host, 'POST', '/-/acme/shop/branches', {
        token: current,
        body: { label: 'try' },
      });
      t.equal(made.status, 201);
      const name = page.getByLabel('To remove it, type its name');
      const remove = page.getByRole('button', { name: 'Remove it' });
      await name.fill('acme/sho');
      t.equal(await remove.isDisabled(), true);
      await name.fill('acme/shop');
      await remove.click();
      await page.locator('#notice.bad', { hasText: /has branches.*named acme\/shop-…/ }).waitFor();
      await askHost(host, 'DELETE', `/-/acme/shop/branches/${made.json.name}`, { token: current });
      await remove.click();
      await page.getByText('acme/shop is gone, with everything in it.').waitFor();
      t.match(await askHost(host, 'GET', '/-/ping'), { json: { worlds: ['acme/crm'] } });
      await page.getByRole('link', { name: 'acme/crm' }).waitFor();
      t.equal(await page.getByRole('link', { name: 'acme/shop', exact: true }).count(), 0);

      // An owner that another hand recorded since the list was read.
      await page.getByRole('link', { name: 'acme/crm' }).click();
      await askHost(host, 'PUT', '/-/worlds/acme/crm/owner', { token: admin, body: { owner: 'first' } });
      await page.getByLabel('Owning org').fill('second');
      await page.getByRole('button', { name: 'Record' }).click();
      await page
        .locator('#notice.bad', { hasText: 'recorded as first’s already. An owner that is recorded stays' })
        .waitFor();
      t.strictSame(
        faults.filter(text => !/status of 400/.test(text)),
        [],
      );
      await context.close();
    });

    await t.test(
      'where worlds have no origins of their own, a world’s page opens beside the console',
      async t => {
        const directory = await hostDirectory(t);
        const { token } = await bareWorld(directory, 'acme/shop');
        const port = await freePort();
        const baseUrl = `http://127.0.0.1:${port}`;
        await using host = await startHostQuietly(directory, { port, baseUrl });
        const { context, page } = await enter(baseUrl, host.adminToken.secret.reveal());
        const addresses: string[] = [];
        context.on('page', each => each.on('framenavigated', frame => addresses.push(frame.url())));
        const [opened] = await Promise.all([
          context.waitForEvent('page'),
          page.getByRole('button', { name: 'Open the page of acme/shop' }).click(),
        ]);
        await opened.getByRole('heading', { name: 'Timeline' }).waitFor();
        t.equal(opened.url(), `${baseUrl}/-/acme/shop/`);
        t.notOk(addresses.some(url => url.includes(token)));
        await context.close();
      },
    );

    await t.test('ten thousand worlds are shown as they come, and searched at once', async t => {
      const rows = madeUpRows(10_000);
      let go = (): void => {};
      const gate = new Promise<void>(resolve => {
        go = resolve;
      });
      const baseUrl = await startStandIn(t, {
        rows: async function* () {
          yield* rows.slice(0, 3_000);
          await gate;
          yield* rows.slice(3_000);
        },
      });
      const { context, page, faults } = await enter(baseUrl, STAND_IN_ADMIN);
      await page.getByRole('link', { name: 'acme-0/world-00000' }).waitFor();
      await page.locator('.count', { hasText: /^Reading the worlds: 2,\d\d\d so far/ }).waitFor();
      await picture(page, 'reading');
      // What somebody is at stays in his hands while more arrives.
      await page.getByRole('link', { name: 'acme-0/world-00000' }).focus();
      go();
      await page.locator('.count', { hasText: '10,000 worlds' }).waitFor();
      t.equal(await page.evaluate('document.activeElement.textContent'), 'acme-0/world-00000');
      t.equal(await page.locator('tbody tr').count(), 50, 'a page of them is drawn');
      const search = page.getByLabel('Search');
      const tookMs = (await page.evaluate(`(() => {
        const input = document.querySelector('input[type=search]');
        let most = 0;
        for (const text of ['w', 'wo', 'world-0', 'world-09', 'world-0999', 'stripe acme-3', 'owner 5', '']) {
          const began = performance.now();
          input.value = text;
          input.dispatchEvent(new Event('input'));
          document.body.offsetHeight;
          most = Math.max(most, performance.now() - began);
        }
        return most;
      })()`)) as number;
      t.comment(`slowest search ${tookMs.toFixed(1)} ms`);
      t.ok(tookMs < 250, `no key waits: ${tookMs} ms`);
      await search.fill('acme-3 stripe 0999');
      const found = rows.filter(
        ({ name, twins }) => /acme-3.*0999/.test(name) && twins.some(({ vendor }) => vendor === 'stripe'),
      );
      await page.locator('.count', { hasText: `${found.length} of 10,000 worlds` }).waitFor();
      await page
        .getByRole('status')
        .filter({ hasText: `${found.length} of 10,000 worlds` })
        .waitFor();
      await search.fill('“5” {of}');
      t.equal(await page.locator('tbody tr').count(), 50, 'what an owner is called is text');
      await search.fill('');
      await page.getByLabel('with a fault only').check();
      await page.locator('.count', { hasText: '5 of 10,000 worlds' }).waitFor();
      await picture(page, 'faults');
      await page.getByLabel('with a fault only').uncheck();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText('Page 2 of 200').waitFor();
      t.equal(await page.locator('tbody th').first().innerText(), rows[50]!.name);
      await search.fill('nothing has these');
      await page.getByText('No world has all of these words.').waitFor();
      await search.fill('world-00042');
      await page.getByRole('link', { name: 'acme-0/world-00042' }).click();
      await page.getByRole('link', { name: 'All worlds' }).click();
      t.equal(await search.inputValue(), 'world-00042', 'the search is as it was');
      await page.locator('tbody a:focus', { hasText: 'acme-0/world-00042' }).waitFor();
      t.strictSame(faults, []);
      await context.close();
    });

    await t.test('three hundred real ones, of which one cannot be served', async t => {
      const directory = await hostDirectory(t);
      for (let n = 0; n < 300; n++)
        await bareWorld(directory, `acme/w${String(n).padStart(3, '0')}`, ['stripe']);
      await using host = await startHostQuietly(directory);
      writeFileSync(join(directory, 'acme/w123/.wrld/world.json'), '{ "name": "acme/w123", "servces": {} }');
      const { context, page, faults } = await enter(host.baseUrl, host.adminToken.secret.reveal());
      await page.locator('.count', { hasText: '300 worlds' }).waitFor();
      await page.getByLabel('with a fault only').check();
      await page.getByRole('link', { name: 'acme/w123' }).click();
      await page.getByRole('heading', { name: 'It cannot be served' }).waitFor();
      t.match(await page.locator('.fault').innerText(), /servces[\s\S]*acme\/w123\/\.wrld/);
      await picture(page, 'world-fault');
      const [blank] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('button', { name: 'Open its page' }).click(),
      ]);
      await page.locator('#notice.bad', { hasText: 'cannot be opened' }).waitFor();
      t.ok(blank.isClosed(), 'no empty tab is left');
      await page.getByRole('link', { name: 'Health' }).click();
      await page.getByText('Answers in').waitFor();
      t.match(await page.locator('main').innerText(), /Worlds\s+300[\s\S]*acme\/w123/);
      await picture(page, 'health');
      t.strictSame(await inaccessible(page), []);
      t.strictSame(
        faults.filter(text => !/status of 503/.test(text)),
        [],
      );
      await context.close();
    });

    await t.test('a host that goes, comes back, and has another token then', async t => {
      const directory = await hostDirectory(t);
      await bareWorld(directory, 'acme/shop');
      const first = await startHostQuietly(directory);
      const port = Number(new URL(first.baseUrl).port);
      const { context, page } = await enter(first.baseUrl, first.adminToken.secret.reveal());
      await page.getByRole('link', { name: 'acme/shop' }).waitFor();
      await first.close();
      await page.getByRole('button', { name: 'Read again' }).click();
      const standing = page.locator('#standing');
      await standing.filter({ hasText: 'The host does not answer. Start wrld host' }).waitFor();
      await page.getByRole('link', { name: 'acme/shop' }).waitFor();
      await picture(page, 'gone');
      t.strictSame(await inaccessible(page), []);
      {
        await bareWorld(directory, 'acme/made-meanwhile');
        await using _ = await startHostQuietly(directory, { port });
        await page.getByText('The host answers again.').waitFor();
        await page.getByRole('link', { name: 'acme/made-meanwhile' }).waitFor();
        t.equal(await standing.innerText(), '');
      }
      await using _ = await startHostQuietly(directory, {
        port,
        adminToken: 'another-admin-token-0123456789',
      });
      await page.getByRole('button', { name: 'Read again' }).click();
      await page.getByRole('alert').filter({ hasText: 'does not take this token any more' }).waitFor();
      t.equal(
        await page.getByRole('link', { name: 'acme/shop' }).count(),
        0,
        'nothing of it is shown any more',
      );
      await context.close();
    });

    await t.test('a host that shuts down says so', async t => {
      let status: HostHealth['status'] = 'up';
      const baseUrl = await startStandIn(t, {
        rows: async function* () {},
        health: () => ({ status, worlds: 0, open: 0 }),
        make: async () => ({
          ok: false,
          status: 503,
          code: 'draining',
          message: 'The host is shutting down; ask again.',
        }),
      });
      const { context, page } = await enter(baseUrl, STAND_IN_ADMIN);
      await page.getByRole('link', { name: 'Make the first one' }).click();
      await page.getByLabel('Org', { exact: true }).fill('acme');
      await page.getByLabel('World', { exact: true }).fill('shop');
      status = 'draining';
      await page.getByRole('button', { name: 'Make it' }).click();
      await page.locator('#standing', { hasText: 'The host is shutting down' }).waitFor();
      t.equal(await page.getByLabel('World', { exact: true }).inputValue(), 'shop');
      status = 'up';
      await page.getByText('The host answers again.').waitFor();
      await context.close();
    });

    await t.test('a shard that is down is shown, with the worlds that are away with it', async t => {
      let down = true;
      const away = madeUpRow(1);
      const baseUrl = await startStandIn(t, {
        rows: async function* () {
          yield madeUpRow(0);
          yield { ...away, token: null, fault: 'Its shard, 1, ended, and is being started again.' };
        },
        names: () => [madeUpRow(0).name, away.name],
        health: () => ({
          ...{ status: 'up', worlds: 2, open: 1 },
          shards: [
            { shard: 0, status: 'up', worlds: 1, open: 1 },
            { shard: 1, status: down ? 'down' : 'up', worlds: 1, open: 0 },
          ],
        }),
        metrics: () => 'wrld_host_worlds_open 1\nwrld_host_worlds_opened_total{shard="0"} 5\n',
      });
      const { context, page, faults } = await enter(baseUrl, STAND_IN_ADMIN);
      await page.getByRole('link', { name: 'Health' }).click();
      await page.getByText('down; it is started again').waitFor();
      const told = await page.locator('main').innerText();
      t.match(told, /Opened since the start\s+5/, 'of all shards together');
      t.match(
        told,
        new RegExp(`Worlds that cannot be served[\\s\\S]*${away.name}[\\s\\S]*Its shard, 1, ended`),
      );
      await picture(page, 'health-shards');
      t.strictSame(await inaccessible(page), []);
      down = false;
      await page.getByText('down; it is started again').waitFor({ state: 'detached' });
      t.strictSame(faults, []);
      await context.close();
    });

    await t.test('the keyboard alone makes, opens and removes a world', async t => {
      const directory = await hostDirectory(t);
      await using host = await startHostQuietly(directory);
      const context = await browser.newContext({ viewport: NARROW, colorScheme: 'dark' });
      const page = await context.newPage();
      await page.goto(`${host.baseUrl}${CONSOLE}`);
      const { keyboard } = page;
      /** Presses Tab until the focus is on what is called so. */
      const tabTo = async (name: string): Promise<void> => {
        for (let n = 0; n < 40; n++) {
          await keyboard.press('Tab');
          const at = await page.evaluate(`(() => {
            const at = document.activeElement;
            const label = at.labels?.[0]?.textContent ?? at.textContent;
            return { name: (at.getAttribute('aria-label') ?? label).trim(), outline: getComputedStyle(at).outlineStyle };
          })()`);
          const { name: named, outline } = at as { name: string; outline: string };
          if (named !== name) continue;
          t.not(outline, 'none', `one sees where one is: ${name}`);
          return;
        }
        throw new Error(`Tab does not lead to ${name}`);
      };
      // It begins in the field.
      await keyboard.type(host.adminToken.secret.reveal());
      await keyboard.press('Enter');
      await page.getByText('This host has no world yet.').waitFor();
      await tabTo('Make the first one');
      await keyboard.press('Enter');
      await page.getByLabel('stripe').waitFor();
      await keyboard.type('acme');
      await keyboard.press('Tab');
      await keyboard.type('shop');
      await tabTo('stripe');
      await keyboard.press('Space');
      await tabTo('Make it');
      await keyboard.press('Enter');
      await page.getByRole('region', { name: 'Tokens of acme/shop' }).waitFor();
      await tabTo('Copy: Token: reads and writes');
      await tabTo('Go to acme/shop');
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'acme/shop' }).waitFor();
      await tabTo('Open its page');
      const [opened] = await Promise.all([context.waitForEvent('page'), keyboard.press('Enter')]);
      await opened.getByRole('heading', { name: 'Timeline' }).waitFor();
      await opened.close();
      await tabTo('To remove it, type its name: acme/shop');
      await keyboard.type('acme/shop');
      await keyboard.press('Enter');
      await page.getByText('acme/shop is gone').waitFor();
      t.match(await askHost(host, 'GET', '/-/ping'), { json: { worlds: [] } });
      await context.close();
    });

    await t.test('every view can be read and used, in light and dark, wide and narrow', async t => {
      const directory = await hostDirectory(t);
      await bareWorld(directory, 'acme/shop', ['stripe', 'smtp', 'openai', 'anthropic']);
      await bareWorld(directory, `acme-${'long'.repeat(5)}/${'name'.repeat(8)}`, ['stripe']);
      await bareWorld(directory, 'acme/broken');
      writeFileSync(join(directory, 'acme/broken/.wrld/world.json'), '{ "servces": 1 }');
      await using host = await startHostQuietly(directory);
      const token = host.adminToken.secret.reveal();
      const body = { owner: 'The Acme Corporation of Somewhere' };
      await askHost(host, 'PUT', '/-/worlds/acme/shop/owner', { token, body });
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const viewport of [WIDE, NARROW]) {
          const { context, page, faults } = await enter(host.baseUrl, token, { colorScheme, viewport });
          for (const [view, there] of [
            ['worlds', 'tbody tr'],
            ['new', '.choices input'],
            ['health', 'dl'],
            ['world?name=acme/shop', '.grave:visible'],
            ['world?name=acme/broken', '.fault'],
            ['world?name=acme/none', '.empty'],
          ] as const) {
            await page.evaluate(`location.hash = '${view}'`);
            await page.locator(there).first().waitFor();
            const which = `${view.replace(/\W+/g, '-')}-${colorScheme}-${viewport.width}`;
            t.strictSame(await poorlyReadable(page), [], which);
            t.strictSame(await inaccessible(page), [], which);
            t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, which);
            await picture(page, which);
          }
          t.strictSame(faults, []);
          await context.close();
        }
      }
    });
  },
);
