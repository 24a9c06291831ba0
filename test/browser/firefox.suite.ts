// The same as the suites of Chromium show, where it is Firefox that does it: the browser program in a page and its workers,
// and a Firefox that is run in a world with a profile of its own. Run by `npm run test:browser`.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { cleanEnv, openWorlds, startUp, wrldWords } from '../kit/command-line.ts';
import { FIREFOX, FIREFOX_SWITCHES, type Firefox, firefoxOf } from './firefox.ts';
import { openTabStage } from './tab-stage.ts';

const skip = FIREFOX === undefined ? 'no Firefox is installed' : false;
const PROFILES = 'wrld-browser-';

const hasCertutil = (): boolean => {
  try {
    execFileSync('certutil', ['--help'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
};

/** Ends with the test. */
async function open(t: Test, words: readonly string[], folder: string): Promise<Firefox> {
  const [program, ...args] = words;
  const child = spawn(program!, args, {
    cwd: folder,
    env: { ...cleanEnv(), MOZ_DISABLE_CONTENT_SANDBOX: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => child.kill());
  return firefoxOf(child);
}

t.test('[7.1] the browser program, in Firefox', { skip, timeout: 180_000 }, async t => {
  const stage = await openTabStage(t);
  const profile = await mkdtemp(join(tmpdir(), 'wrld-firefox-'));
  t.teardown(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
  await writeFile(join(profile, 'user.js'), 'user_pref("network.proxy.type", 0);\n');
  const firefox = await open(
    t,
    [FIREFOX!, '--no-remote', '--profile', profile, ...FIREFOX_SWITCHES],
    profile,
  );
  await firefox.goto(`${stage.page}/strict-workers`);
  const { run } = firefox;
  await run(
    `while (document.documentElement.dataset.ready === undefined) await new Promise(requestAnimationFrame);`,
  );

  await t.test('[4.2] the vendors’ own SDKs are answered by the twins', async t => {
    t.match(await run('return attached'), { world: 'acme/shop', vendors: ['acme', 'openai', 'stripe'] });
    const chat = await run(`
      const openai = new sdks.OpenAI({ apiKey: 'sk-x', dangerouslyAllowBrowser: true });
      const ask = { model: 'gpt-5', messages: [{ role: 'user', content: 'hi' }] };
      const said = await openai.chat.completions.create(ask);
      let streamed = '';
      for await (const part of await openai.chat.completions.create({ ...ask, stream: true }))
        streamed += part.choices[0]?.delta?.content ?? '';
      return [said.choices[0].message.content, streamed];`);
    t.strictSame(chat, ['Hello from the world.', 'Hello from the world.']);
    const paid = await run(`
      const stripe = new sdks.Stripe('sk_test_x', { httpClient: sdks.Stripe.createFetchHttpClient() });
      const customer = await stripe.customers.create({ email: 'ada@example.com' });
      const missing = await stripe.customers.retrieve('cus_none').catch(error => error.code);
      return [customer.email, missing];`);
    t.strictSame(paid, ['ada@example.com', 'resource_missing']);
    const socket = await run(`
      const rt = new sdks.OpenAIRealtimeWebSocket({ model: 'gpt-realtime', dangerouslyAllowBrowser: true },
        new sdks.OpenAI({ apiKey: 'sk-x', dangerouslyAllowBrowser: true }));
      const type = await new Promise((resolve, reject) => { rt.on('event', ({ type }) => resolve(type)); rt.on('error', reject); });
      const { url, protocol } = rt.socket;
      rt.close();
      return [type, new URL(url).host, protocol];`);
    t.strictSame(socket, ['session.created', 'api.openai.com', 'realtime']);
  });

  await t.test(
    '[4.2, 7.1] XHR and nested workers are the twins’; the rest is refused in the words of the rule',
    async t => {
      const xhr = await run(`
      const asked = new XMLHttpRequest();
      asked.open('POST', 'https://api.stripe.com/v1/customers');
      asked.setRequestHeader('authorization', 'Bearer sk_test_x');
      await new Promise((resolve, reject) => { asked.onload = resolve; asked.onerror = reject; asked.send(new URLSearchParams({ name: 'Xhr' })); });
      return [asked.status, JSON.parse(asked.responseText).name, asked.responseURL];`);
      t.strictSame(xhr, [200, 'Xhr', 'https://api.stripe.com/v1/customers']);
      const worked = await run(`
      const worker = new Worker('/worker.js');
      const { data } = await new Promise((resolve, reject) => {
        worker.onmessage = resolve;
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage({ urls: ['https://api.stripe.com/v1/customers', 'https://elsewhere.test/'], nested: true });
      });
      return [data.own[0].url, data.own[1], data.inner[0].url, data.inner[1], data.more];`);
      t.match(worked, ['/v1/customers', /elsewhere\.test/, '/v1/customers', /elsewhere\.test/, '/worker.js']);
      const refused = await run(`
      const said = await fetch('https://elsewhere.test/a').catch(error => [error instanceof Error, error.message, error.rule]);
      const socket = new WebSocket('wss://elsewhere.test/');
      const closed = await new Promise(resolve => { socket.onclose = ({ wasClean }) => resolve(wasClean); });
      const source = new EventSource('https://elsewhere.test/events');
      const failed = await new Promise(resolve => { source.onerror = () => resolve(source.readyState); });
      return { said, closed, failed, beacon: navigator.sendBeacon('https://elsewhere.test/b', 'x') };`);
      t.match(refused, {
        said: [true, /checkout\.js may not reach elsewhere\.test/, 'not-granted'],
        closed: false,
        failed: 2,
      });
      t.strictSame(stage.outside, [], 'nothing went to the vendors, nor to anybody else');
    },
  );
  await firefox.close();
});

t.test(
  '[4.2] a Firefox that is run in the world: twins by a trusted name, a refusal as a page, no profile left',
  { skip: skip || (hasCertutil() ? false : 'no certutil is installed'), timeout: 240_000 },
  async t => {
    // Others open browsers beside this.
    const own = await mkdtemp(join(tmpdir(), 'wrld-ff-'));
    t.teardown(() => rm(own, { recursive: true, force: true, maxRetries: 5 }));
    process.env['TMPDIR'] = own;
    const worlds = await openWorlds();
    t.teardown(worlds.remove);
    const profiles = async () => (await readdir(tmpdir())).filter(name => name.startsWith(PROFILES)).sort();
    const before = await profiles();
    const folder = await worlds.make('firefox');
    await using _up = await startUp(folder);
    for (const words of [
      ['run', '--', FIREFOX!, ...FIREFOX_SWITCHES],
      ['run', '--open', '--', FIREFOX!, ...FIREFOX_SWITCHES],
    ]) {
      const firefox = await open(t, wrldWords('world', ...words), folder);
      // A vendor's 401 would have it ask somebody for a password.
      await firefox.goto('https://dashboard.stripe.com/');
      t.match(await firefox.run('return document.title'), /Stripe$/, words.join(' '));
      await firefox.goto('https://shop.example/a').catch(() => {});
      t.match(await firefox.run('return document.documentElement.outerHTML'), /id="wrld-world-refusal"/);
      await firefox.close();
    }
    t.strictSame(await profiles(), before);
  },
);
