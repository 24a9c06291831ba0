import { inspect } from 'node:util';
import t from 'tap';
import { proxyEnvironment } from '../../control/node/environment.ts';
import { readProxyConfig } from '../../proxy/config.ts';
import { ORPHAN_SECONDS_MAX, WORKERS_MAX } from '../../proxy/limits.ts';

const NEEDED = ['--ipc', 'i', '--twins', 't', '--ca', 'c'];

t.test('[7.2 guest-*] --guest-port: none unless asked for, 0 for any', t => {
  for (const [args, expected] of [
    [[], { ok: true, config: { guestPort: null } }],
    [['--guest-port', '0'], { ok: true, config: { guestPort: 0 } }],
    [['--guest-port', '8081'], { ok: true, config: { guestPort: 8081 } }],
    [['--guest-port', '65536'], { ok: false, why: /--guest-port takes a number/ }],
    [['--guest-port', 'x'], { ok: false, why: /--guest-port takes a number/ }],
  ] as const)
    t.match(readProxyConfig([...NEEDED, ...args], {}), expected, args.join(' '));
  t.end();
});

t.test('[bad-input] each number has its range, and what is needed is said', t => {
  const says = (...args: string[]) => readProxyConfig(args, {});
  for (const [option, good, bad] of [
    ['--port', ['0', '65535'], ['65536', '-1', 'x', '']],
    ['--workers', ['1', String(WORKERS_MAX)], ['0', String(WORKERS_MAX + 1), 'two']],
    ['--orphan-seconds', ['0', String(ORPHAN_SECONDS_MAX)], [String(ORPHAN_SECONDS_MAX + 1), '1.5']],
    ['--log-level', ['warn'], ['loud']],
  ] as const) {
    for (const value of good)
      t.match(says(...NEEDED, `${option}=${value}`), { ok: true }, `${option}=${value}`);
    for (const value of bad)
      t.match(
        says(...NEEDED, `${option}=${value}`),
        { ok: false, why: new RegExp(`^${option} takes `) },
        `${option}=${value}`,
      );
  }
  for (const at of [0, 2, 4])
    t.match(says(...NEEDED.toSpliced(at, 2)), { ok: false, why: /are needed/ }, `without ${NEEDED[at]}`);
  t.match(says('--none-such'), { ok: false, why: /none-such/ });
  t.end();
});

t.test('the variables of the next proxy reach the proxy process, and stay secret in it', t => {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap(name => [
    name,
    name.toLowerCase(),
  ]);
  const kept = Object.fromEntries(names.map(name => [name, process.env[name]]));
  t.teardown(() => {
    for (const [name, value] of Object.entries(kept)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  for (const name of names) process.env[name] = 'http://user:s3cret@next.test:3128';
  const env = proxyEnvironment('compile-cache');
  for (const name of names) t.equal(env[name], 'http://user:s3cret@next.test:3128', name);
  const read = readProxyConfig(NEEDED, env);
  t.equal(read.ok, true);
  t.notMatch(inspect(read, { depth: 9 }), /s3cret/);
  t.notMatch(JSON.stringify(read), /s3cret/);
  t.end();
});
