// A program with the module, a world and its token, and nothing else of a run (4.2): the world is served elsewhere.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { REGISTER } from '../kit/attached.ts';
import {
  COMMAND_MS_MAX,
  cleanEnv,
  type Ended,
  findOldNode,
  openWorlds,
  startServe,
} from '../kit/command-line.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);

const PROGRAM = `
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
const require = createRequire(${JSON.stringify(import.meta.filename)});
const { default: Stripe } = await import(require.resolve('stripe'));
const { createTransport } = require('nodemailer');
const customer = await new Stripe('sk_test_x').customers.create({ email: 'far@b.test' });
const { SMTP_HOST: host, SMTP_PORT: port, STRIPE_TWIN_URL } = process.env;
const mail = await createTransport({ host, port: Number(port), requireTLS: true }).sendMail({ from: 'a@b.test', to: 'c@d.test', subject: 'x', text: 'x' });
const own = await (await fetch(STRIPE_TWIN_URL + '/v1/customers', { headers: { authorization: 'Bearer sk_test_x' } })).json();
const refusal = await fetch('https://api.example.com/x').catch(({ worldRefusal }) => worldRefusal.rule);
const asks = "fetch('https://api.stripe.com/v1/customers', { headers: { authorization: 'Bearer sk_test_x' } }).then(answer => answer.json()).then(({ data }) => tell(data.length))";
const child = execFileSync(process.execPath, ['-e', 'const tell = console.log; ' + asks], { env: {}, encoding: 'utf8' });
const [worker] = await once(new Worker('const tell = value => import("node:worker_threads").then(({ parentPort }) => parentPort.postMessage(value)); ' + asks, { eval: true, env: {} }), 'message');
console.log(JSON.stringify({ email: customer.email, mail: mail.response.slice(0, 3), own: own.data.length, refusal, child: child.trim(), worker }));
`;

t.test('[4.2] WRLD_WORLD and WRLD_WORLD_TOKEN under the module alone', async t => {
  const folder = await worlds.make('served', {
    services: { smtp: { twin: 'smtp' }, stripe: { twin: 'stripe' } },
  });
  await using served = await startServe(folder);
  const { worldUrl, token } = served.up;
  const run = (node: string, env: object, ...words: readonly string[]): Promise<Ended> =>
    new Promise(resolve => {
      const named = { WRLD_WORLD: worldUrl, WRLD_WORLD_TOKEN: token, ...env };
      execFile(
        node,
        ['--require', REGISTER, ...words],
        { cwd: worlds.root, env: { ...cleanEnv(), ...named }, timeout: COMMAND_MS_MAX },
        (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  let customers = 0;
  for (const node of new Set([(await findOldNode()) ?? process.execPath, process.execPath])) {
    const ended = await run(node, {}, '--input-type=module', '-e', PROGRAM);
    t.equal(ended.code, 0, ended.err);
    customers++;
    t.strictSame(JSON.parse(ended.out), {
      email: 'far@b.test',
      mail: '250',
      own: customers,
      refusal: 'not-granted',
      child: String(customers),
      worker: customers,
    });
  }

  for (const [env, why] of [
    [{ WRLD_WORLD_TOKEN: 'tok_w_wrong' }, /status 401/],
    [{ WRLD_WORLD: 'http://127.0.0.1:1/acme/shop' }, /does not answer/],
    [{ WRLD_WORLD: 'nonsense' }, /no world’s URL/],
  ] as const) {
    const ended = await run(process.execPath, env, '-e', 'console.log("started")');
    t.match(ended, {
      code: 1,
      out: '',
      err: /^wrld: this process is not attached to .*, and so not started: /,
    });
    t.match(ended.err, why);
  }
});

t.test('[4.2] what holds a world for a program ends with it', async t => {
  const folder = await worlds.make('held', { services: {} });
  await using served = await startServe(folder);
  const { worldUrl, token } = served.up;
  const words = [
    join(import.meta.dirname, '..', '..', 'cli', 'wrld-world.js'),
    'attach',
    worldUrl,
    '--token',
    token,
  ];
  const held = await new Promise<Ended>(resolve => {
    const holder = execFile(process.execPath, [...words, '--hold'], { env: cleanEnv() }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
    holder.stdout!.once('data', () => holder.stdin!.end());
  });
  t.equal(held.code, 0, held.err);
  t.match(JSON.parse(held.out), {
    env: { WRLD_WORLD: worldUrl, WRLD_WORLD_PROXY: /^http:/, NODE_EXTRA_CA_CERTS: String },
  });
});
