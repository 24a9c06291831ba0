import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import t from 'tap';
import { listenersOf, parseListeners, socketCount } from '../../contained/socket-table.ts';
import { cannotContain } from '../kit/contained.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';

t.test('listeners of the kernel’s tables, by address and port', t => {
  const rows: readonly (readonly [line: string, found: readonly object[]])[] = [
    ['   0: 0100007F:0CEA 00000000:0000 0A 00000000:0', [{ address: '127.0.0.1', port: 3306 }]],
    ['   1: 00000000:1F90 00000000:0000 0A 00000000:0', [{ address: '0.0.0.0', port: 8080 }]],
    ['   2: 0100007F:0CEA 0100007F:D2F0 01 00000000:0', []],
    [`   0: ${'0'.repeat(32)}:0050 ${'0'.repeat(32)}:0000 0A 0:0`, [{ address: '::', port: 80 }]],
    [`   0: ${'0'.repeat(24)}01000000:0050 ${'0'.repeat(32)}:0000 0A 0:0`, [{ address: '::1', port: 80 }]],
    [
      `   0: 0000000000000000FFFF00000100007F:0050 ${'0'.repeat(32)}:0000 0A 0:0`,
      [{ address: '127.0.0.1', port: 80 }],
    ],
    ['   3: nonsense', []],
    ['', []],
  ];
  for (const [line, found] of rows) t.strictSame(parseListeners(`${HEAD}${line}\n`), found, line);
  t.end();
});

t.test('those of this machine', { skip: process.platform === 'linux' ? false : 'no /proc here' }, async t => {
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    t.ok((await listenersOf(process.pid)).some(each => each.port === port && each.address === host));
  }
  t.strictSame(await listenersOf(2 ** 22 + 1), []);
});

t.test('their number tells of each that begins and ends', { skip: await cannotContain() }, async t => {
  // Of a namespace of its own, in which nobody else opens any.
  const script = `
    const { socketCount } = await import('${new URL('../../contained/socket-table.ts', import.meta.url)}');
    const { createServer } = await import('node:net');
    const told = [await socketCount('self')];
    const server = createServer().listen(0, '127.0.0.1', async () => {
      told.push(await socketCount('self'));
      server.close(async () => {
        told.push(await socketCount('self'));
        process.stdout.write(JSON.stringify(told));
      });
    });`;
  const words = ['--user', '--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const ended = await new Promise<string | Error>(resolve => {
    const args = [...words, process.execPath, '--input-type=module', '-e', script];
    execFile('unshare', args, (error, out) => resolve(error ?? out));
  });
  if (ended instanceof Error) throw ended;
  t.strictSame(JSON.parse(ended), ['0 0', '1 0', '0 0']);
  t.equal(await socketCount(2 ** 22 + 1), null);
});
