import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import t from 'tap';
import { upstreamTrust } from '../../../proxy/upstream/trust.ts';
import { createTestAuthority } from '../../kit/test-ca.ts';

const folder = mkdtempSync(join(tmpdir(), 'trust-'));
t.teardown(() => rmSync(folder, { recursive: true }));
const authority = await createTestAuthority();
const added = join(folder, 'added.pem');
writeFileSync(added, authority.pem);

t.test('AES-128 is named first, and an added authority is believed', async t => {
  const context = upstreamTrust([added]);
  for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
    const leaf = await authority.leaf(['p.test']);
    // The client's order decides, as with nginx and most others.
    const server = createServer({ key: leaf.key, cert: leaf.cert, maxVersion, honorCipherOrder: false });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: '127.0.0.1', servername: 'p.test', secureContext: context });
    await once(client, 'secureConnect');
    t.match(client.getCipher().name, /AES.?128.GCM/, maxVersion);
    client.destroy();
    server.close();
    await once(server, 'close');
  }
});

t.test('a file without a certificate is an error', async t => {
  const empty = join(folder, 'empty.pem');
  writeFileSync(empty, '');
  t.throws(() => upstreamTrust([empty]), /holds no certificate/);
});
