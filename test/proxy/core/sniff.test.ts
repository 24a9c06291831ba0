import t from 'tap';
import { sniff } from '../../../proxy/core/sniff.ts';

t.test('[design: a CONNECT is accepted and then sniffed] the first bytes tell what a tunnel carries', t => {
  const rows: readonly (readonly [bytes: Buffer | string, carried: ReturnType<typeof sniff>])[] = [
    ['', 'more'],
    [Buffer.from([0x16]), 'more'],
    [Buffer.from([0x16, 0x03, 0x01, 0x02]), 'tls'],
    [Buffer.from([0x16, 0x42]), 'other'],
    ['GET / HTTP/1.1', 'http1'],
    ['G', 'more'],
    ['POST ', 'http1'],
    ['M-SEARCH ', 'http1'],
    ['P', 'more'],
    ['PRI ', 'more'],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'h2c'],
    ['PROPFIND /', 'http1'],
    ['SSH-2.0-OpenSSH_9', 'other'],
    ['get /', 'other'],
    [' GET', 'other'],
    [Buffer.from([0x00, 0x01]), 'other'],
    ['A'.repeat(40), 'other'],
  ];
  for (const [bytes, carried] of rows)
    t.equal(sniff(Buffer.from(bytes as string)), carried, JSON.stringify(bytes));
  t.end();
});
