// The inbox in a real Chromium: mails as people read them, and what strangers wrote in them doing nothing. Run by
// `npm run test:browser`; SCREENSHOTS=<folder> keeps the pictures there.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { Browser } from 'playwright-core';
import t, { type Test } from 'tap';
import { openBrowserWorld } from './opened-world.ts';
import { CHROMIUM, poorlyReadable } from './readable.ts';

// One pixel, #c33.
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGM4Y2z8HwAFbAJN3+4kTQAAAABJRU5ErkJggg==',
  'base64',
);

async function world(t: Test) {
  const { control, browser, pictures } = await openBrowserWorld(t, 'smtp');
  const headers = { 'x-wrld-token': control.token };
  const manifest = await fetch(`${control.worldUrl}/.well-known/wrld-world`, { headers });
  const { streams } = (await manifest.json()) as { streams: { smtp: { listen: object } } };
  const transport = createTransport({ ...streams.smtp.listen, ignoreTLS: true, pool: true });
  t.teardown(() => transport.close());
  const send = async (mail: SendMailOptions): Promise<string> =>
    ((await transport.sendMail(mail)).response ?? '').split(' ').at(-1)!;
  /** A context that the world's own page has let in. */
  const visitor = async (options: Parameters<Browser['newContext']>[0] = {}) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(`${control.ownOrigin}/-/acme/shop/`);
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    return { context, page };
  };
  return { send, visitor, pictures, inbox: `${control.ownOrigin}/acme/shop/smtp/` };
}

const RECEIPT = `<!doctype html><html><head><style>
body{margin:0;background:#f2f4f7;font-family:Helvetica,Arial,sans-serif;color:#222}
.box{max-width:560px;margin:24px auto;background:#fff;border-radius:8px;padding:32px}
.button{display:inline-block;background:#0b57c2;color:#fff;padding:12px 20px;border-radius:6px;text-decoration:none}
td{padding:8px 0;border-bottom:1px solid #eee}</style></head>
<body><div class="box"><img src="cid:logo@acme" width="48" height="48" alt="Acme"><h2>Thank you, Ada</h2>
<p>Your order <b>#1042</b> is on its way.</p><table width="100%"><tr><td>Lamp</td><td align="right">€ 49.00</td></tr>
<tr><td>Shipping</td><td align="right">€ 4.90</td></tr></table>
<p><a class="button" href="https://acme.test/orders/1042?utm=mail&amp;x=1">See your order</a></p></div></body></html>`;

t.test(
  '[2.4 streams] the inbox',
  { skip: CHROMIUM === undefined ? 'no Chromium is installed' : false, timeout: 120_000 },
  async t => {
    const { send, visitor, inbox, pictures } = await world(t);

    await t.test('empty, it says what to do', async t => {
      const { context, page } = await visitor();
      await page.goto(inbox);
      t.match(await page.locator('main').innerText(), /No mail yet[\s\S]*SMTP_HOST and SMTP_PORT/);
      await page.screenshot({ path: join(pictures, 'inbox-empty.png') });
      await context.close();
    });

    const from = 'Acme Shop <orders@acme.test>';
    await send({ from, to: 'bob@b.test', subject: 'Reset your password', text: 'Your code is 428 113.\n' });
    await send({
      from: 'noreply@a-very-long-sender-address.example.com',
      to: Array.from({ length: 12 }, (_, n) => `person${n}@customers.example.com`),
      subject: `A subject that goes on and on, ${'because somebody wanted all of it in there, '.repeat(4)}`,
      text: `${'A long line without an end '.repeat(60)}\n\n-- \nAcme`,
    });
    const receipt = await send({
      from,
      to: 'Ada Lovelace <ada@b.test>',
      cc: 'accounts@b.test',
      replyTo: 'help@acme.test',
      subject: 'Your order #1042 — grüße',
      text: 'Thank you, Ada\nYour order #1042 is on its way.\n',
      html: RECEIPT,
      attachments: [
        { filename: 'Invoice 1042.pdf', content: Buffer.alloc(18_000, 'x'), contentType: 'application/pdf' },
        { filename: 'logo.png', content: PIXEL, cid: 'logo@acme', contentType: 'image/png' },
      ],
    });

    for (const colorScheme of ['light', 'dark'] as const) {
      await t.test(`a person can read it: ${colorScheme}, wide and narrow`, async t => {
        const { context, page } = await visitor({ colorScheme });
        for (const [name, path] of [
          ['list', ''],
          ['html', `mail/${receipt}`],
          ['text', `mail/${receipt}?view=text`],
          ['headers', `mail/${receipt}?view=headers`],
          ['source', `mail/${receipt}?view=source`],
        ] as const) {
          for (const width of [1100, 380]) {
            await page.setViewportSize({ width, height: 800 });
            await page.goto(`${inbox}${path}`);
            t.strictSame(await poorlyReadable(page), [], `${name} at ${width}`);
            await page.screenshot({
              path: join(pictures, `inbox-${name}-${colorScheme}-${width}.png`),
              fullPage: true,
            });
          }
        }
        await context.close();
      });
    }

    await t.test('from the list to a mail and back, by keyboard too', async t => {
      const { context, page } = await visitor();
      await page.goto(inbox);
      const rows = page.locator('.mails > li');
      t.strictSame(
        (await rows.allInnerTexts()).map(text => /order|goes on|password/.exec(text)?.[0]),
        ['order', 'goes on', 'password'],
        'newest first',
      );
      await rows.first().locator('a').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Your order #1042 — grüße' }).waitFor();
      const mail = page.frameLocator('iframe');
      await mail.getByText('Thank you, Ada').waitFor();
      await page.getByText('How it came').click();
      t.match(
        await page.locator('details').innerText(),
        /ada@b\.test, accounts@b\.test[\s\S]*no TLS, no login/,
      );
      const logo = mail.getByAltText('Acme');
      t.equal(
        await logo.evaluate(image => (image as unknown as { naturalWidth: number }).naturalWidth),
        1,
        'an image that the mail carries is shown',
      );
      t.match(await page.locator('.links').innerText(), /https:\/\/acme\.test\/orders\/1042\?utm=mail&x=1/);
      for (const [view, shows] of [
        ['Text', /Your order #1042 is on its way\./],
        ['Headers', /Message-ID[\s\S]*@acme\.test/i],
        ['Source', /Content-Type: multipart/],
      ] as const) {
        await page.getByRole('link', { name: view, exact: true }).click();
        await page.locator('nav a[aria-current=page]', { hasText: view }).waitFor();
        t.match(await page.locator('main').innerText(), shows);
      }
      await page.getByRole('link', { name: 'Inbox' }).click();
      await rows.first().waitFor();
      await context.close();
    });

    await t.test('attachments and the mail itself are saved under their names', async t => {
      const { context, page } = await visitor();
      await page.goto(`${inbox}mail/${receipt}`);
      const saved = async (name: string): Promise<readonly [name: string, bytes: number]> => {
        const download = page.waitForEvent('download');
        await page.getByRole('link', { name, exact: true }).click();
        const file = await download;
        return [file.suggestedFilename(), (await readFile(await file.path())).length];
      };
      t.strictSame(await saved('Invoice 1042.pdf'), ['Invoice 1042.pdf', 18_000]);
      await page.goto(`${inbox}mail/${receipt}?view=source`);
      t.match(await saved('Download'), [`${receipt}.eml`, Number]);
      await context.close();
    });

    await t.test(
      '[security] what a stranger wrote runs nothing, loads nothing and leads nowhere',
      async t => {
        const hits: string[] = [];
        const tracker = createServer((request, response) => {
          hits.push(request.url ?? '');
          response.end();
        });
        tracker.listen(0, '127.0.0.1');
        tracker.on('connection', () => hits.push('a connection'));
        await once(tracker, 'listening');
        t.teardown(() => tracker.close());
        const there = `http://127.0.0.1:${(tracker.address() as AddressInfo).port}`;
        const html = `<html><head><base href="${there}/base/"><link rel="stylesheet" href="${there}/css">
<link rel="dns-prefetch" href="${there}"><link rel="preconnect" href="${there}"><link rel="prefetch" href="${there}/prefetch">
<meta http-equiv="refresh" content="0;url=${there}/refresh"><style>@import "${there}/import";
@font-face{font-family:x;src:url(${there}/font)}body{font-family:x;background:url(${there}/background)}</style></head>
<body onload="fetch('${there}/onload');parent.document.title='owned'"><p>Hello</p>
<script>fetch('${there}/script');top.location='${there}/top'</script><script src="${there}/src"></script>
<img src="${there}/img" srcset="${there}/srcset 2x" onerror="fetch('${there}/onerror')"><img src=x onerror="parent.document.title='owned'">
<picture><source srcset="${there}/picture"><img src="data:,"></picture>
<svg><image href="${there}/svg"/><use href="${there}/use#a"/><script>fetch('${there}/svgscript')</script></svg>
<video src="${there}/video" poster="${there}/poster" autoplay></video><audio src="${there}/audio" autoplay></audio>
<iframe src="${there}/iframe"></iframe><iframe srcdoc="<script>fetch('${there}/srcdoc')</script>"></iframe>
<object data="${there}/object"></object><embed src="${there}/embed"><input type="image" src="${there}/input">
<form action="${there}/form" target="_top"><button>Go</button></form><a href="${there}/link" target="_top" ping="${there}/ping">link</a>
<a href="javascript:parent.document.title='owned'">js</a><table background="${there}/table"><tr><td>x</td></tr></table></body></html>`;
        const evil = await send({
          from: '"<img src=x onerror=document.title=1>" <a@b.test>',
          to: 'ada@b.test',
          subject: '<script>document.title="owned"</script>',
          html,
          headers: { 'X-Html': '<b onclick=1>' },
          attachments: [{ filename: 'run.html', content: '<script>1</script>', contentType: 'text/html' }],
        });
        const { context, page } = await visitor();
        // What the world's own page still asks for is none of the mail's.
        await page.goto('about:blank');
        const finished: string[] = [];
        context.on('requestfinished', request => {
          if (!request.url().startsWith(inbox)) finished.push(request.url());
        });
        for (const path of [`mail/${evil}`, `messages/${evil}/html`, '', `mail/${evil}?view=headers`]) {
          await page.goto(`${inbox}${path}`, { waitUntil: 'networkidle' });
          t.not(await page.title(), 'owned', path);
          t.ok(page.url().startsWith(inbox), 'nobody was led away');
        }
        await page.goto(`${inbox}mail/${evil}`);
        const mail = page.frameLocator('iframe');
        await mail.getByText('Hello').waitFor();
        for (const target of [mail.getByText('Go'), mail.getByText('link'), mail.getByText('js')])
          await target.click({ timeout: 2000 });
        await page.waitForLoadState('networkidle');
        t.equal(page.url(), `${inbox}mail/${evil}`);
        t.strictSame(hits, [], 'not one request left, nor a connection made ahead of one');
        t.strictSame(finished, []);
        t.equal(await page.locator('main script, main img').count(), 0);
        const frame = page.frames().find(each => each.url().includes(`/messages/${evil}/html`))!;
        t.equal(await frame.evaluate('self.origin'), 'null', 'its document is of no origin');
        await context.close();
      },
    );
  },
);
