// Streams and WebSockets as an app meets them: SMTP where the variables point, through the proxy, on a branch, and from
// afar; and the realtime SDK, unmodified. Real processes, with the variables of the command that started them.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import {
  COMMAND_MS_MAX,
  cleanEnv,
  command,
  type Ended,
  findOldNode,
  openWorlds,
  startServe,
  startUp,
  wrld,
} from '../kit/command-line.ts';
import { within } from '../kit/deadline.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const WRLD_WORLD = join(ROOT, 'cli', 'wrld-world.js');

const worlds = await openWorlds();
t.teardown(worlds.remove);

/** Called with relays and subjects in turn: a mail each, by `variables` or by the relay's own name. */
const MAILER = `
import { createRequire } from 'node:module';
const { createTransport } = createRequire(${JSON.stringify(import.meta.filename)})('nodemailer');
const { SMTP_HOST, SMTP_PORT, HTTPS_PROXY } = process.env;
for (let at = 1; at < process.argv.length; at += 2) {
  const [relay, subject] = process.argv.slice(at);
  const [host, port] = relay === 'variables' ? [SMTP_HOST, SMTP_PORT] : relay.split(':');
  const proxy = relay === 'variables' ? {} : { proxy: HTTPS_PROXY };
  const transport = createTransport({ host, port: Number(port), requireTLS: true, ...proxy });
  console.log((await transport.sendMail({ from: 'a@b.test', to: 'c@d.test', subject, text: 'x' })).response);
}
`;
const mailer = (...words: readonly string[]): string[] => [
  process.execPath,
  '--input-type=module',
  '-e',
  MAILER,
  ...words,
];

type Place = { readonly worldUrl: string; readonly token: string };

async function get(place: Place, path: string): Promise<unknown> {
  const headers = { 'x-wrld-token': place.token, authorization: 'Bearer sk_test_x' };
  const response = await fetch(`${place.worldUrl}${path}`, { headers });
  return response.json();
}

async function subjects(place: Place): Promise<string[]> {
  const { messages } = (await get(place, '/smtp/messages')) as { messages: { subject: string }[] };
  return messages.map(({ subject }) => subject).reverse();
}

const tokenOf = async (folder: string): Promise<string> =>
  (await command(['head', '-1', join(folder, '.wrld', 'token')], folder)).out.trim();

const MAIL = { services: { smtp: { twin: 'smtp' } } };

t.test('[2.4 streams] world run: SMTP_HOST and SMTP_PORT, the relay’s own name, and a branch', async t => {
  const folder = await worlds.make('mail', MAIL);
  await using world = await startUp(folder);
  const place = { worldUrl: world.up.worldUrl, token: await tokenOf(folder) };
  const run = (...words: readonly string[]): Promise<Ended> => wrld(folder, 'world', 'run', ...words);

  const relay = 'smtp.sendgrid.net:587';
  const sent = await run('--', ...mailer('variables', 'one', 'variables', 'two', relay, 'three'));
  t.equal(sent.code, 0, sent.err);
  t.match(sent.out, /^(250 .*msg_\w+\n){3}$/);
  t.strictSame(await subjects(place), ['one', 'two', 'three'], 'trusted in TLS, by both ways');

  const made = await wrld(folder, 'world', 'branch', 'make', '--label', 'try', '--json');
  t.equal(made.code, 0, made.err);
  const branch = JSON.parse(made.out) as { name: string; token: string };
  const there = { worldUrl: `${world.up.baseUrl}/${branch.name}`, token: branch.token };
  t.strictSame(await subjects(there), ['one', 'two', 'three'], 'a branch carries the mails');
  const name = branch.name.split('/')[1]!;
  const branched = await run('--branch', name, '--', ...mailer('variables', 'four', relay, 'five'));
  t.equal(branched.code, 0, branched.err);
  t.strictSame(await subjects(there), ['one', 'two', 'three', 'four', 'five']);
  t.strictSame(await subjects(place), ['one', 'two', 'three'], 'and its own are its own');
  const first = (await get(there, '/smtp/messages?subject=one')) as { messages: { id: string }[] };
  const whole = (await get(there, `/smtp/messages/${first.messages[0]!.id}`)) as { text: string };
  t.equal(whole.text, 'x\n', 'what they say, too');
});

t.test('[2.4 streams] port 465 of a relay: TLS comes before the first word', async t => {
  const folder = await worlds.make('submissions', MAIL);
  await using world = await startUp(folder);
  const sent = await wrld(folder, 'world', 'run', '--', ...mailer('smtp.gmail.com:465', 'sealed'));
  t.equal(sent.code, 0, sent.err);
  t.match(sent.out, /^250 .*msg_\w+\n$/);
  const place = { worldUrl: world.up.worldUrl, token: await tokenOf(folder) };
  t.strictSame(await subjects(place), ['sealed']);
});

t.test('[storage] what was acknowledged is there after a crash', async t => {
  const folder = await worlds.make('crash', MAIL);
  const token = await (async () => {
    await using world = await startUp(folder);
    const sent = await wrld(
      folder,
      'world',
      'run',
      '--',
      ...mailer('variables', 'kept', 'variables', 'kept too'),
    );
    t.equal(sent.code, 0, sent.err);
    const gone = once(world.process, 'exit');
    world.process.kill('SIGKILL');
    await within('the crash', gone);
    return tokenOf(folder);
  })();
  await using world = await startUp(folder);
  t.strictSame(await subjects({ worldUrl: world.up.worldUrl, token }), ['kept', 'kept too']);
});

const REALTIME = `
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
const find = createRequire(${JSON.stringify(import.meta.filename)});
const load = async name => import(pathToFileURL(find.resolve(name)));
const { default: OpenAI } = await load('openai');
const { OpenAIRealtimeWS } = await load('openai/realtime/ws');
const rt = new OpenAIRealtimeWS({ model: 'gpt-realtime' }, new OpenAI({ apiKey: 'sk-story' }));
const types = [];
rt.on('event', ({ type }) => types.push(type));
const next = type => new Promise((resolve, reject) => { rt.once(type, resolve); rt.once('error', reject); });
const { session } = await next('session.created');
const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }];
rt.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'], tools } });
await next('session.updated');
const ask = async (item, response = {}) => {
  rt.send({ type: 'conversation.item.create', item });
  await next('conversation.item.done');
  rt.send({ type: 'response.create', response });
  return (await next('response.done')).response.output[0];
};
const call = await ask({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'What is the weather?' }] }, { tool_choice: 'required' });
const told = await ask({ type: 'function_call_output', call_id: call.call_id, output: 'rain' });
const error = await new Promise(resolve => {
  rt.once('error', ({ error }) => resolve(error));
  rt.send({ type: 'conversation.item.delete', item_id: 'item_nobody' });
});
const closed = new Promise(resolve => rt.socket.on('close', resolve));
rt.close();
await closed;
let web = 'session.created';
if (globalThis.WebSocket !== undefined) {
  const { OpenAIRealtimeWebSocket } = await load('openai/realtime/websocket');
  const asked = { model: 'gpt-realtime', dangerouslyAllowBrowser: true };
  const one = new OpenAIRealtimeWebSocket(asked, new OpenAI({ apiKey: 'sk-story' }));
  web = await new Promise((resolve, reject) => {
    one.once('event', event => resolve(event.type));
    one.once('error', reject);
  });
  one.close();
}
console.log(JSON.stringify({ web, model: session.model, call: [call.type, call.name], told: told.content, error: error.code, types }));
`;

/** A customer by the vendor's own library, and a chat that streams; then a host that no twin has. */
const CLIENTS = `
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
const find = createRequire(${JSON.stringify(import.meta.filename)});
const load = async name => (await import(pathToFileURL(find.resolve(name)))).default;
const [Stripe, OpenAI] = [await load('stripe'), await load('openai')];
const customer = await new Stripe('sk_test_x').customers.create({ email: 'far@b.test' });
let said = '';
const messages = [{ role: 'user', content: 'hello from afar' }];
const stream = await new OpenAI({ apiKey: 'sk-x' }).chat.completions.create({ model: 'gpt-5', messages, stream: true });
for await (const { choices } of stream) said += choices[0]?.delta.content ?? '';
const refusal = await fetch('https://api.example.com/x').then(answer => [answer.status], ({ worldRefusal }) => [worldRefusal.rule, worldRefusal.missing]);
console.log(JSON.stringify([process.env.WRLD_WORLD, customer.email, said, ...refusal]));
`;

t.test('[4.2] wrld-world attach: a served world’s twins at their vendors’ hosts, from anywhere', async t => {
  const services = { smtp: { twin: 'smtp' }, openai: { twin: 'openai' }, stripe: { twin: 'stripe' } };
  const folder = await worlds.make('served', { services });
  await using served = await startServe(folder);
  const { worldUrl, token, readToken } = served.up;
  const attach = (given: { token?: string; env?: object }, ...words: readonly string[]): Promise<Ended> =>
    new Promise(resolve => {
      const flags = given.token === undefined ? [] : ['--token', given.token];
      execFile(
        process.execPath,
        [WRLD_WORLD, 'attach', worldUrl, ...flags, '--', ...words],
        { cwd: worlds.root, env: { ...cleanEnv(), ...given.env }, timeout: COMMAND_MS_MAX },
        (error, out, err) =>
          resolve({ code: error === null ? 0 : (error.signal ?? Number(error.code)), out, err }),
      );
    });
  const script = (node: string, text: string): string[] => [node, '--input-type=module', '-e', text];
  const mails = mailer('variables', 'from afar', 'smtp.gmail.com:587', 'by a relay');
  const sent = await attach({ token }, ...mails);
  t.equal(sent.code, 0, sent.err);
  t.strictSame(await subjects({ worldUrl, token }), ['from afar', 'by a relay'], 'over TLS that is trusted');

  const old = (await findOldNode()) ?? process.execPath;
  t.match(await command([old, WRLD_WORLD, 'attach', '--help'], worlds.root), { code: 0, out: /<world URL>/ });
  const asked = await attach({ env: { WRLD_WORLD_TOKEN: token } }, ...script(old, CLIENTS));
  t.equal(asked.code, 0, asked.err);
  const expected = [worldUrl, 'far@b.test', 'You said: hello from afar', 'not-granted', 'grant'];
  t.strictSame(JSON.parse(asked.out), expected, 'nothing goes to the vendors, nor anywhere else');
  const talked = await attach({ token }, ...script(old, REALTIME));
  t.equal(talked.code, 0, talked.err);
  t.match(JSON.parse(talked.out), { web: 'session.created', call: ['function_call', 'get_weather'] });
  const customers = (await get({ worldUrl, token }, '/stripe/v1/customers')) as { data: object[] };
  t.match(customers.data, [{ email: 'far@b.test' }]);

  const reading = await attach({ token: readToken }, ...mailer('variables', 'refused'));
  t.not(reading.code, 0);
  t.match(reading.err, /this token opens no stream/);
  t.equal((await subjects({ worldUrl, token })).length, 2);

  for (const [words, code, says] of [
    [['attach', 'nonsense', '--', 'true'], 2, /no world’s URL/],
    [['attach', worldUrl, '--', 'true'], 2, /no token/],
    [['attach', worldUrl, '--token', 'tok_w_wrong', '--', 'true'], 1, /status 401/],
    [['attach', worldUrl, '--token', token], 2, /no command/],
    [['attach', 'http://127.0.0.1:1/acme/shop', '--token', token, '--', 'true'], 1, /does not answer/],
    [['attach', worldUrl, '--token', token, '--', 'sh', '-c', 'exit 7'], 7, /^$/],
  ] as const) {
    const ended = await command([process.execPath, WRLD_WORLD, ...words], worlds.root);
    t.equal(ended.code, code, ended.err);
    t.match(ended.err, says);
  }
});

t.test(
  '[7.2] world run: the realtime SDK at its vendor’s own host, with nothing set but the run',
  async t => {
    const folder = await worlds.make('talk', { services: { openai: { twin: 'openai' } } });
    await using world = await startUp(folder, '--sandbox');
    const words = ['--input-type=module', '-e', REALTIME];
    const ended = await wrld(folder, 'world', 'run', '--', process.execPath, ...words);
    t.equal(ended.code, 0, ended.err);
    const { types, ...said } = JSON.parse(ended.out);
    t.match(said, {
      model: 'gpt-realtime',
      call: ['function_call', 'get_weather'],
      told: [{ type: 'output_text', text: String }],
      error: 'item_not_found',
    });
    t.ok(
      types.includes('response.function_call_arguments.delta') &&
        types.includes('response.output_text.delta'),
    );
    const token = await tokenOf(folder);
    const log = (await get({ worldUrl: `${world.up.baseUrl}/-/acme/shop`, token }, '/log/openai')) as {
      entries: { kind: string; caller: string }[];
    };
    t.ok(log.entries.length >= 2);
    t.ok(log.entries.every(({ caller }) => caller === 'token'));
  },
);
