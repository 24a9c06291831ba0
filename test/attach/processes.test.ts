// What a program starts is in the world like the program itself, whatever environment it gives it (C1).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { attachedWorld, nodes, REGISTER, REGISTER_MODULE } from '../kit/attached.ts';

const world = await attachedWorld({ routes: [{ host: 'tw.test', path: '/', vendor: 'tw' }] });
t.teardown(() => world[Symbol.asyncDispose]());

const ANSWER = 'twin GET /acme/shop/tw/x';
/** Asks with an agent of its own, which no setting of Node's own covers. */
const ASKS = `const https = require('node:https');
https.get('https://tw.test/x', { agent: new https.Agent() }, async answer => { let text = ''; for await (const chunk of answer) text += chunk; tell(text); }).on('error', error => tell(error.message));`;
const file = join(world.folder, 'asks.cjs');
writeFileSync(
  file,
  `const { parentPort } = require('node:worker_threads');
const tell = text => parentPort ? parentPort.postMessage(text) : process.send ? process.send(text, () => process.exit()) : console.log(text);
${ASKS}`,
);
const FILE = JSON.stringify(file);

for (const node of nodes()) {
  t.test(`Node ${node.version}`, async t => {
    t.test('worker threads', async t => {
      const eval1 = JSON.stringify(
        `const tell = text => require('node:worker_threads').parentPort.postMessage(text); ${ASKS}`,
      );
      const made = [
        `new Worker(${FILE})`,
        `new Worker(${FILE}, { env: {} })`,
        `new Worker(${FILE}, { execArgv: [] })`,
        `new Worker(${FILE}, { env: {}, execArgv: [] })`,
        `new Worker(${FILE}, { env: SHARE_ENV, execArgv: [] })`,
        `new Worker(new URL('file://' + encodeURI(${FILE})))`,
        `new Worker(${eval1}, { eval: true })`,
        `new Worker(${eval1}, { eval: true, env: {}, execArgv: [] })`,
      ];
      const program = `import { SHARE_ENV, Worker } from 'node:worker_threads';
        const told = [];
        for (const make of [${made.map(each => `() => ${each}`).join()}])
          told.push(await new Promise((resolve, reject) => { const worker = make(); worker.once('message', resolve); worker.once('error', reject); }));
        say([told, told.length, Worker.name, new Worker('', { eval: true }) instanceof Worker]);`;
      const expected = [made.map(() => ANSWER), made.length, 'Worker', true];
      const { said } = await world.run(program, { node: node.path });
      t.strictSame(said, expected, 'of a process that NODE_OPTIONS put into the world');

      for (const options of [
        ['--require', REGISTER],
        ['--import', REGISTER_MODULE, '--max-old-space-size=512'],
      ]) {
        const { said } = await world.run(program, { node: node.path, options, env: { NODE_OPTIONS: '' } });
        t.strictSame(said, expected, `of one that ${options[0]} did`);
      }
    });

    t.test('child processes', async t => {
      const command = `${JSON.stringify(node.path)} ${JSON.stringify(file)}`.replaceAll('"', "'");
      const own = `process.execPath, [${FILE}]`;
      const started = {
        spawn: `await output(spawn(${own}))`,
        'spawn, cleaned': `await output(spawn(${own}, { env: {} }))`,
        'spawn, with NODE_OPTIONS of its own': `await output(spawn(${own}, { env: { NODE_OPTIONS: '--no-warnings' } }))`,
        'exec, cleaned': `(await promisify(exec)(${JSON.stringify(command)}, { env: {} })).stdout`,
        'execFile, cleaned': `(await promisify(execFile)(${own}, { env: {} })).stdout`,
        spawnSync: `String(spawnSync(${own}).stdout)`,
        'spawnSync, cleaned': `String(spawnSync(${own}, { env: {} }).stdout)`,
        'execFileSync, cleaned': `String(execFileSync(${own}, { env: { PATH: '/nowhere' } }))`,
        'execSync, cleaned': `String(execSync(${JSON.stringify(command)}, { env: {} }))`,
        'fork, cleaned': `await message(fork(${FILE}, { env: {}, execArgv: [] }))`,
        'spawn in an environment that was emptied': `await (() => { for (const name in process.env) delete process.env[name]; return output(spawn(${own})); })()`,
        'spawnSync in one': `String(spawnSync(${own}).stdout)`,
      };
      const { said } = await world.run(
        `import { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process';
        import { promisify } from 'node:util';
        const output = async child => { let text = ''; for await (const chunk of child.stdout) text += chunk; return text; };
        const message = child => new Promise(resolve => child.once('message', resolve));
        const told = {};
        ${Object.entries(started)
          .map(([name, start]) => `told[${JSON.stringify(name)}] = (${start}).trim();`)
          .join('\n')}
        say(told);`,
        { node: node.path },
      );
      for (const name of Object.keys(started))
        t.equal((said as { [name: string]: string })[name], ANSWER, name);
    });

    t.test('a cluster', async t => {
      writeFileSync(
        join(world.folder, 'cluster.cjs'),
        `const cluster = require('node:cluster');
        if (cluster.isPrimary) {
          cluster.setupPrimary({ execArgv: [] });
          cluster.fork({ NODE_OPTIONS: '' }).once('message', text => { console.log(JSON.stringify(text)); process.exit(); });
        } else {
          const tell = text => process.send(text);
          ${ASKS}
        }`,
      );
      const { said } = await world.run(
        `import { execFileSync } from 'node:child_process';
        say(JSON.parse(execFileSync(process.execPath, [${JSON.stringify(join(world.folder, 'cluster.cjs'))}])));`,
        { node: node.path },
      );
      t.equal(said, ANSWER);
    });

    t.test('a program that is none of JavaScript keeps the variables of the run', async t => {
      const { said } = await world.run(
        `import { execFileSync } from 'node:child_process';
        say(String(execFileSync('/usr/bin/env', { env: { SMTP_PORT: 'own' } })).split('\\n').sort());`,
        {
          node: node.path,
          env: { WRLD_RUN_VARIABLES: 'HTTPS_PROXY,SMTP_HOST,SMTP_PORT', SMTP_HOST: 'here' },
        },
      );
      const ours = (said as string[]).filter(line => /^(HTTPS_PROXY|NODE_OPTIONS|SMTP|WRLD)/.test(line));
      t.match(ours, [
        `HTTPS_PROXY=${world.env['HTTPS_PROXY']}`,
        /^NODE_OPTIONS=.*--require.*register\.cjs/,
        'SMTP_HOST=here',
        'SMTP_PORT=own',
        'WRLD_RUN_VARIABLES=HTTPS_PROXY,SMTP_HOST,SMTP_PORT',
      ]);
    });
  });
}
