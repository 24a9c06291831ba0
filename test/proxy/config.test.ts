import { inspect } from 'node:util';
import t from 'tap';
import { proxyEnvironment } from '../../control/node/environment.ts';
import { readProxyConfig } from '../../proxy/config.ts';

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
