// A vault's transit engine as its published HTTP API describes it, with its keys in memory: encrypt, decrypt, rewrap and
// hmac, versions of keys, namespaces, `min_decryption_version`, policies, and being sealed.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Key = { readonly versions: Buffer[]; minDecryptionVersion: number };

export type StandInVault = AsyncDisposable & {
  readonly address: string;
  readonly token: string;
  /** Made when it is first encrypted with, as the engine does. `name`: with its namespace and mount, `ns/transit/key`. */
  key(name: string): Key;
  rotate(name: string): void;
  /** Answers with this status until it is null again. */
  failing: number | null;
  /** Every request that came, as it was sent. */
  readonly asked: { readonly path: string; readonly headers: string; readonly body: string }[];
};

export const openStandInVault = async (): Promise<StandInVault> => {
  const keys = new Map<string, Key>();
  const token = `hvs.${randomBytes(12).toString('hex')}`;
  const asked: StandInVault['asked'] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    asked.push({ path: request.url!, headers: JSON.stringify(request.rawHeaders), body });
    const tell = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    const fail = (status: number, ...errors: string[]): void => tell(status, { errors });
    if (vault.failing !== null) return fail(vault.failing, 'Vault is sealed');
    if (request.headers['x-vault-token'] !== token) return fail(403, 'permission denied');
    const parts = /^\/v1\/(.+)\/(encrypt|decrypt|rewrap|hmac)\/([^/]+)(?:\/sha2-256)?$/.exec(request.url!);
    if (request.method !== 'POST' || parts === null) return fail(404);
    const [, mount, operation, name] = parts;
    if (mount !== 'transit' && mount !== 'other/transit') return fail(404, 'no handler for route');
    const namespace = request.headers['x-vault-namespace'];
    const full = `${namespace === undefined ? '' : `${String(namespace)}/`}${mount}/${name}`;
    const given = JSON.parse(body) as { [field: string]: string };
    try {
      tell(200, { data: work(operation!, full, given) });
    } catch (error) {
      fail(400, (error as Error).message);
    }
  });
  const need = (name: string): Key => {
    const key = keys.get(name);
    if (key === undefined) throw new Error('encryption key not found');
    return key;
  };
  const encrypt = ({ versions }: Key, plaintext: string): string => {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', versions.at(-1)!, iv);
    const bytes = Buffer.concat([
      iv,
      cipher.update(Buffer.from(plaintext, 'base64')),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return `vault:v${versions.length}:${bytes.toString('base64')}`;
  };
  const decrypt = ({ versions, minDecryptionVersion }: Key, ciphertext = ''): string => {
    const parts = /^vault:v(\d+):([A-Za-z0-9+/=]+)$/.exec(ciphertext);
    const version = Number(parts?.[1] ?? 0);
    if (parts === null || versions[version - 1] === undefined) throw new Error('invalid ciphertext');
    if (version < minDecryptionVersion)
      throw new Error('ciphertext or signature version is disallowed by policy (too old)');
    const bytes = Buffer.from(parts[2]!, 'base64');
    const cipher = createDecipheriv('aes-256-gcm', versions[version - 1]!, bytes.subarray(0, 12), {
      authTagLength: 16,
    });
    cipher.setAuthTag(bytes.subarray(-16));
    const plain = Buffer.concat([cipher.update(bytes.subarray(12, -16)), cipher.final()]);
    return plain.toString('base64');
  };
  const work = (operation: string, name: string, given: { readonly [field: string]: string }): object => {
    switch (operation) {
      case 'encrypt': {
        const key = vault.key(name);
        return { ciphertext: encrypt(key, given['plaintext']!), key_version: key.versions.length };
      }
      case 'decrypt':
        return { plaintext: decrypt(need(name), given['ciphertext']) };
      case 'rewrap': {
        const key = need(name);
        return {
          ciphertext: encrypt(key, decrypt(key, given['ciphertext'])),
          key_version: key.versions.length,
        };
      }
      default: {
        const mac = createHmac('sha256', need(name).versions.at(-1)!).update(
          Buffer.from(given['input']!, 'base64'),
        );
        return { hmac: `vault:v${need(name).versions.length}:${mac.digest('base64')}` };
      }
    }
  };
  const vault: StandInVault = {
    address: '',
    token,
    failing: null,
    asked,
    key: name => {
      let key = keys.get(name);
      if (key === undefined) keys.set(name, (key = { versions: [randomBytes(32)], minDecryptionVersion: 1 }));
      return key;
    },
    rotate: name => void vault.key(name).versions.push(randomBytes(32)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(vault, { address: `http://127.0.0.1:${port}` });
};
