// A world of this process with a Chromium beside it, for the suites that look at pages.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { type RunningControl, startControl } from '../../control/node/control.ts';
import { openLog } from '../../control/node/log.ts';
import { CHROMIUM } from './readable.ts';

export type OpenedWorld = {
  readonly control: RunningControl;
  readonly browser: Browser;
  /** One of the world's own endpoints, with its token. */
  ask(path: string, method?: string, body?: unknown): Promise<Response>;
  /** A write through the Stripe twin; throws its error. */
  stripe(path: string, form: { readonly [name: string]: string }): Promise<StripeObject>;
  /** Of the world's page. */
  readonly place: string;
  /** A folder for screenshots: `SCREENSHOTS`, or one that goes with the test. */
  readonly pictures: string;
};

// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test asserts.
export type StripeObject = { readonly [field: string]: any };

/**
 * `service`: the name of the twin that the world has; `module`: its file, where it is none that ships. `models`: an OpenAI
 * twin besides, with handlers of these.
 */
export async function openBrowserWorld(
  t: Test,
  service = 'stripe',
  module?: string,
  models?: object,
): Promise<OpenedWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-page-'));
  await mkdir(join(folder, '.wrld'));
  const twin = module === undefined ? service : relative(folder, module);
  // A name of the outside that leads to this machine, for what is granted.
  const runtime = { extraHosts: { 'rates.test': '127.0.0.1' } };
  const handlers = 'openai.handlers.json';
  if (models !== undefined) await writeFile(join(folder, handlers), JSON.stringify(models, null, 2));
  const openai = models && { openai: { twin: 'openai', colocate: { scenarioPath: handlers } } };
  const config = { name: 'acme/shop', services: { [service]: { twin }, ...openai }, runtime };
  await writeFile(join(folder, '.wrld', 'world.json'), JSON.stringify(config, null, 2));
  const control = await startControl({
    folder,
    host: '127.0.0.1',
    port: 0,
    proxyPort: 0,
    sandbox: false,
    log: openLog('silent'),
  });
  const browser = await openBrowser(t);
  t.teardown(async () => {
    await control.close();
    await rm(folder, { recursive: true, force: true });
  });
  const ask: OpenedWorld['ask'] = async (path, method = 'GET', body) =>
    fetch(`${control.baseUrl}/-/acme/shop/${path}`, {
      method,
      headers: { 'x-wrld-token': control.token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const stripe: OpenedWorld['stripe'] = async (path, form) => {
    const answer = await fetch(`${control.worldUrl}/stripe${path}`, {
      method: 'POST',
      headers: { 'x-twins-key': control.token, authorization: 'Bearer sk_test_x' },
      body: new URLSearchParams(form),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as StripeObject;
  };
  const pictures = await picturesFolder(t);
  return { control, browser, ask, stripe, place: `${control.ownOrigin}/-/acme/shop/`, pictures };
}

/** Closed when the test ends. */
export async function openBrowser(t: Test): Promise<Browser> {
  const browser = await launchChromium();
  t.teardown(() => browser.close());
  return browser;
}

/** For screenshots: `SCREENSHOTS`, or one that goes with the test. */
export async function picturesFolder(t: Test): Promise<string> {
  const kept = process.env['SCREENSHOTS'];
  const pictures = kept ?? (await mkdtemp(join(tmpdir(), 'wrld-screens-')));
  await mkdir(pictures, { recursive: true });
  if (kept === undefined) t.teardown(() => rm(pictures, { recursive: true, force: true }));
  return pictures;
}

export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  return chromium.launch({ executablePath: CHROMIUM!, args: [...args, ...more] });
}

/** What the browser says went wrong, but for the questions that tell the page it has no session yet. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(error.message));
  page.on('console', message => {
    if (message.type() === 'error' && !/status of (401|409)/.test(message.text()))
      faults.push(message.text());
  });
  return faults;
}
