// A wrapping key that a vault's transit engine holds (4.11-2): encrypt, decrypt and rewrap of its published HTTP API. The
// key never leaves the vault; an organisation has a key of its own. A record names the vault and the key by a fingerprint
// that one key of the vault makes for every organisation, so that a record of another vault's is told from damage.

import { parseJson } from '../../../policy/json-text.ts';
import { toBase64 } from '../../../twins/kit/base64.ts';
import type { Log } from '../../ports/log.ts';
import type { RewrapFailure, SealFailure } from '../../ports/sealer.ts';
import type { Secret } from '../access/secret.ts';
import { VAULT_ANSWER_CHARS_MAX, VAULT_TIMEOUT_MS } from '../limits.ts';
import { fromBase64, type WrappingKey } from './envelope.ts';

/** `fetch` of every host, as far as it is needed. */
export type VaultFetch = (
  url: string,
  init: {
    readonly method: 'POST';
    readonly headers: { readonly [name: string]: string };
    readonly body: string;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<{ readonly status: number; text(): Promise<string> }>;

export type VaultOptions = {
  /** `https://vault.example.com:8200`, without a slash at its end. */
  readonly address: string;
  readonly token: Secret;
  /** Of the organisation. */
  readonly key: string;
  readonly fingerprintKey: string;
  /** Where the transit engine is mounted: `transit`. */
  readonly mount: string;
  readonly namespace: string | null;
  readonly fetch: VaultFetch;
  readonly log: Log;
};

type Fields = { readonly [name: string]: unknown };
type Asked = { readonly ok: true; readonly data: Fields } | SealFailure;

const UNREADABLE: SealFailure = { ok: false, why: 'unreadable' };
const AWAY: SealFailure = { ok: false, why: 'away' };

/** The key of an organisation (4.11-2). */
export const vaultKeyOf = (transitKey: string, org: string): string => `${transitKey}-org-${org}`;

export const vaultKey = (options: VaultOptions): WrappingKey => {
  const { key } = options;
  let known: Promise<string | null> | null = null;
  /** Null while it cannot be had. */
  const fingerprint = (): Promise<string | null> => {
    known ??= askFingerprint(options).then(found => {
      if (found === null) known = null;
      return found;
    });
    return known;
  };
  const ask = (operation: 'encrypt' | 'decrypt' | 'rewrap', body: Fields): Promise<Asked> =>
    askVault(options, operation, [key], body);
  return {
    by: 'vault',
    wrap: async dataKey => {
      const mark = await fingerprint();
      if (mark === null) return AWAY;
      const asked = await ask('encrypt', { plaintext: toBase64(dataKey) });
      // A key that encrypts nothing is no damage of the record's.
      if (!asked.ok) return AWAY;
      const { ciphertext } = asked.data;
      return typeof ciphertext === 'string' ? { ok: true, wrapped: `${mark}:${ciphertext}` } : AWAY;
    },
    unwrap: async wrapped => {
      const read = parse(wrapped);
      if (read === null) return UNREADABLE;
      const asked = await ask('decrypt', { ciphertext: read.ciphertext });
      if (!asked.ok) return asked;
      const { plaintext } = asked.data;
      const dataKey = typeof plaintext === 'string' ? fromBase64(plaintext) : null;
      return dataKey === null ? AWAY : { ok: true, dataKey };
    },
    rewrap: async wrapped => {
      const read = parse(wrapped);
      if (read === null) return UNREADABLE;
      const mark = await fingerprint();
      if (mark === null) return AWAY;
      if (read.mark !== mark) return { ok: false, why: 'other-key' };
      const before = versionOf(read.ciphertext);
      if (before === null) return NO_VERSION;
      const asked = await ask('rewrap', { ciphertext: read.ciphertext });
      if (!asked.ok) return asked;
      const { ciphertext } = asked.data;
      const after = typeof ciphertext === 'string' ? versionOf(ciphertext) : null;
      if (after === null) return NO_VERSION;
      return { ok: true, wrapped: `${mark}:${ciphertext as string}`, current: before === after };
    },
  };
};

const NO_VERSION: RewrapFailure = { ok: false, why: 'no-version' };

/** `<fingerprint>:<what the vault made>`. */
const parse = (wrapped: string): { readonly mark: string; readonly ciphertext: string } | null => {
  const parts = /^([A-Za-z0-9+/=]+):(.+)$/.exec(wrapped);
  return parts === null ? null : { mark: parts[1]!, ciphertext: parts[2]! };
};

/** `vault:v3:…` */
const versionOf = (ciphertext: string): number | null => {
  const parts = /^vault:v([1-9]\d{0,8}):/.exec(ciphertext);
  return parts === null ? null : Number(parts[1]);
};

/** What says which vault, mount and key this is, and to nobody what they are called. */
const askFingerprint = async (options: VaultOptions): Promise<string | null> => {
  const { mount, namespace, key, fingerprintKey } = options;
  const name = new TextEncoder().encode(JSON.stringify(['wrld-seal-key/1', namespace, mount, key]));
  const asked = await askVault(options, 'hmac', [fingerprintKey, 'sha2-256'], { input: toBase64(name) });
  const hmac = asked.ok ? asked.data['hmac'] : null;
  const parts = typeof hmac === 'string' ? /^vault:v\d+:([A-Za-z0-9+/=]+)$/.exec(hmac) : null;
  if (parts === null && !(!asked.ok && asked.why === 'away'))
    options.log.error(
      { key: fingerprintKey },
      'the vault has no key to tell its records by; make it once, and never rotate it: vault write -f <mount>/keys/<key>',
    );
  return parts?.[1] ?? null;
};

const askVault = async (
  { address, mount, token, namespace, fetch, log }: VaultOptions,
  operation: 'encrypt' | 'decrypt' | 'rewrap' | 'hmac',
  of: readonly string[],
  body: Fields,
): Promise<Asked> => {
  const path = [...mount.split('/'), operation, ...of].map(encodeURIComponent).join('/');
  const url = `${address}/v1/${path}`;
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Vault-Token': token.reveal(),
        'X-Vault-Request': 'true',
        ...(namespace === null ? {} : { 'X-Vault-Namespace': namespace }),
      },
      body: JSON.stringify(body),
      // A standby may send elsewhere; the token goes only where it was meant to.
      redirect: 'manual',
      signal: AbortSignal.timeout(VAULT_TIMEOUT_MS),
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    // Its message may hold what was sent.
    log.warn({ operation, error: (error as Error).name }, 'the vault does not answer');
    return AWAY;
  }
  if (status === 400 && operation !== 'encrypt') return UNREADABLE;
  const read = status === 200 && text.length <= VAULT_ANSWER_CHARS_MAX ? parseJson(text) : null;
  const data = read?.ok === true ? (read.value as { readonly data?: Fields } | null)?.data : undefined;
  if (typeof data === 'object' && data !== null) return { ok: true, data };
  log.warn({ operation, status }, WORDS[status] ?? 'the vault does not do what it is asked');
  return AWAY;
};

const WORDS: { readonly [status: number]: string } = {
  403: 'the vault refuses the token; look whether it still lives, and at its policy for the transit key',
  404: 'the vault has no transit engine there; look at VAULT_TRANSIT_MOUNT and VAULT_NAMESPACE',
  429: 'the vault is a standby, or asked too much',
  503: 'the vault is sealed, or being maintained',
};
