// What a person sees of a refusal, in a real Chromium behind the real proxy: the page can be read in light and
// dark, holds the record, cannot be broken out of, and its link opens the rule's entry. Run by
// `npm run test:browser`; SCREENSHOTS=<folder> keeps the pictures there.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { type Browser, chromium } from 'playwright-core';
import t, { type Test } from 'tap';
import { startControl } from '../../control/node/control.ts';
import { openLog } from '../../control/node/log.ts';
import type { RefusalRecord } from '../../policy/refusal.ts';
import { connectTunnel } from '../kit/wire.ts';
import { CHROMIUM, poorlyReadable } from './readable.ts';

// The few globals of a page that the probes below use: the DOM's own types would reach every file of the program.
type PageElement = {
  readonly tagName: string;
  readonly parentElement: PageElement | null;
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string | null }>;
  getBoundingClientRect(): { readonly right: number };
};
type PageMade = {
  textContent: string | null;
  src: string;
  onload: () => void;
  onerror: () => void;
};
declare const innerWidth: number;
declare const window: object;
declare const document: {
  readonly title: string;
  readonly scripts: { readonly length: number };
  readonly body: { readonly innerText: string; append(element: PageMade): void };
  getElementById(id: string): { readonly textContent: string | null } | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement> & { readonly length: number };
  createElement(name: string): PageMade;
};
declare const getComputedStyle: (element: PageElement) => {
  readonly backgroundColor: string;
  readonly color: string;
  readonly display: string;
  readonly fontSize: string;
  readonly maxWidth: string;
};

const SCHEMES = ['light', 'dark'] as const;

/** The SHA-256 of the public key that all leaves of this proxy share, as Chromium's switch takes it. */
async function leafKeyHash(proxyPort: number, ca: string): Promise<string> {
  const { peer } = await connectTunnel(proxyPort, 'leaf.test:443', { tls: { ca } });
  const socket = peer.release() as TLSSocket;
  const spki = socket.getPeerX509Certificate()!.publicKey.export({ type: 'spki', format: 'der' });
  socket.destroy();
  return createHash('sha256').update(spki).digest('base64');
}

async function world(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-browser-'));
  await mkdir(join(folder, '.wrld'));
  const config = {
    name: 'acme/shop',
    services: { stripe: { twin: 'stripe' } },
    runtime: { network: { egress: ['https://p.test/v1/'] } },
  };
  await writeFile(join(folder, '.wrld', 'world.json'), JSON.stringify(config));
  const control = await startControl({
    folder,
    host: '127.0.0.1',
    port: 0,
    proxyPort: 0,
    sandbox: false,
    log: openLog('silent'),
  });
  const proxy = new URL(control.proxyUrl);
  const hash = await leafKeyHash(Number(proxy.port), await readFile(control.caFile, 'utf8'));
  const browser: Browser = await chromium.launch({
    executablePath: CHROMIUM!,
    proxy: { server: `http://${proxy.host}` },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--ignore-certificate-errors-spki-list=${hash}`,
    ],
  });
  t.teardown(async () => {
    await browser.close();
    await control.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { control, browser };
}

t.test(
  '[7.1] a refused navigation in a real browser',
  { skip: CHROMIUM === undefined ? 'no Chromium is installed' : false, timeout: 120_000 },
  async t => {
    const { control, browser } = await world(t);
    const kept = process.env['SCREENSHOTS'];
    const pictures = kept ?? (await mkdtemp(join(tmpdir(), 'wrld-screens-')));
    await mkdir(pictures, { recursive: true });
    t.teardown(() => (kept === undefined ? rm(pictures, { recursive: true, force: true }) : undefined));

    const rows: readonly (readonly [name: string, url: string, rule: string, missing: string])[] = [
      ['grant', 'https://api.example.com/v1/charges?key=secret', 'not-granted', 'grant'],
      ['twin', 'https://api.stripe.com/unserved/path', 'unclaimed-path', 'twin'],
      ['path', 'https://p.test/v1/..%2fadmin', 'invalid', 'grant'],
      ['clear', 'http://169.254.169.254/latest/meta-data/', 'not-granted', 'grant'],
      [
        'long',
        `https://${'long-label-'.repeat(5)}.example.com/${'path/'.repeat(150)}`,
        'not-granted',
        'grant',
      ],
      [
        'injection',
        'https://evil.test/</script><svg onload=1><img src=x onerror="document.title=1">',
        'not-granted',
        'grant',
      ],
    ];
    for (const colorScheme of SCHEMES) {
      const context = await browser.newContext({ colorScheme, viewport: { width: 900, height: 700 } });
      const page = await context.newPage();
      const violations: string[] = [];
      page.on('console', message => {
        if (/Content.Security.Policy/i.test(message.text())) violations.push(message.text());
      });
      for (const [name, url, rule, missing] of rows) {
        const response = await page.goto(url, { waitUntil: 'load' });
        t.equal(response!.status(), 502, `${url.slice(0, 60)} ${colorScheme}`);
        t.equal(response!.headers()['x-wrld-world-refusal'], missing);
        const seen = await page.evaluate(() => ({
          record: document.getElementById('wrld-world-refusal')!.textContent!,
          scripts: document.scripts.length,
          foreign: document.querySelectorAll('svg, img, iframe').length,
          title: document.title,
          text: document.body.innerText,
          styled: getComputedStyle(document.querySelector('main')!).maxWidth !== 'none',
        }));
        const record = JSON.parse(seen.record) as RefusalRecord;
        t.equal(record.rule, rule);
        t.equal(record.missing, missing);
        t.notMatch(seen.text, /secret/, 'a query is never shown');
        t.ok(seen.text.includes(record.reason.slice(0, 200).trim()), 'the reason can be read');
        t.match(seen.title, rule);
        t.equal(seen.scripts, 1, 'the record’s element is the only script');
        t.equal(seen.foreign, 0);
        t.ok(seen.styled, 'its own style sheet is admitted');
        t.strictSame(await poorlyReadable(page), [], 'it can be read');
        await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`) });
      }
      t.strictSame(violations, [], 'the page does nothing that its policy forbids');
      const acted = await page.evaluate(async () => {
        const script = document.createElement('script');
        script.textContent = 'window.acted = true';
        document.body.append(script);
        const image = document.createElement('img');
        const loaded = new Promise(resolve => {
          image.onload = () => resolve('loaded');
          image.onerror = () => resolve('blocked');
        });
        image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
        return ['acted' in window, await loaded];
      });
      t.strictSame(acted, [false, 'blocked'], 'its policy holds');

      // A narrow window, as of a phone, and the way to the fix.
      await page.setViewportSize({ width: 390, height: 800 });
      await page.goto('https://api.example.com/v1/charges');
      t.strictSame(await poorlyReadable(page), [], 'it can be read on a phone');
      await page.screenshot({ path: join(pictures, `phone-${colorScheme}.png`) });
      await page.setViewportSize({ width: 900, height: 700 });
      await Promise.all([page.waitForURL(/reference\/refusals#not-granted$/), page.click('main a')]);
      t.equal(page.url(), `${control.baseUrl}/reference/refusals#not-granted`);
      const entry = page.locator('section:target');
      t.match(await entry.innerText(), /not-granted[\s\S]*runtime\.network/);
      const box = await entry.boundingBox();
      t.ok(box !== null && box.y >= 0 && box.y < 700, 'the rule’s entry is in view');
      t.strictSame(await poorlyReadable(page), []);
      await page.screenshot({ path: join(pictures, `reference-${colorScheme}.png`) });
      await context.close();
    }
    if (kept !== undefined) t.comment(`screenshots are in ${pictures}`);
  },
);
