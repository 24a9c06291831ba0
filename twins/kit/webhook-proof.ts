// Whether a webhook is the vendor's own (6.2): its signature by each vendor's published scheme, over the bytes as they came.
// WebCrypto, which compares in a time that tells nothing.
import { SIGNATURES_MAX } from './limits.ts';
import type { ArrivedWebhook, Ingests } from './real-vendor.ts';
import { bytesOf, type HashName, webhookKey } from './webhooks.ts';

/** `unsigned`: no signature that could hold. It says no more to anybody than `forged` does. */
export type Proof = 'holds' | 'unsigned' | 'forged' | 'too-old';

type Signed = {
  readonly hash: HashName;
  readonly key: 'text' | 'base64';
  /** Any of these. */
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
  /** What comes before the body in what is signed. */
  readonly before: string;
  /** Seconds since 1970; null where the scheme has no time. */
  readonly at: number | null;
};

/** Null where nothing could be signed so: nobody needs the secret to see that. */
export const readSignature = (scheme: Ingests['scheme'], { headers }: ArrivedWebhook): Signed | null => {
  // One that came twice says two things.
  const only = (name: string): string | null => {
    const value = headers[name];
    return typeof value === 'string' ? value : null;
  };
  switch (scheme) {
    case 'stripe':
      return readStripe(only('stripe-signature'));
    case 'github': {
      const signature = hexAfter('sha256=', only('x-hub-signature-256'));
      return signed({ key: 'text', signatures: [signature], before: '', at: null });
    }
    case 'slack': {
      const at = only('x-slack-request-timestamp');
      const signature = hexAfter('v0=', only('x-slack-signature'));
      return timed(at, { key: 'text', signatures: [signature], before: `v0:${at}:` });
    }
    case 'svix':
      return readNamed(only, headers['svix-id'] === undefined ? 'webhook' : 'svix');
    case 'standard':
      return readNamed(only, 'webhook');
  }
};

/** `wallMillis`, `ageMsMax`: a signature is good so long before and after its time. */
export const proveWebhook = async (
  read: Signed,
  secret: string,
  body: Uint8Array,
  { wallMillis, ageMsMax }: { readonly wallMillis: number; readonly ageMsMax: number },
): Promise<Proof> => {
  const bytes = read.key === 'text' ? bytesOf(secret) : webhookKey(secret);
  if (bytes.length === 0) return 'forged';
  const algorithm = { name: 'HMAC', hash: read.hash };
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  const before = bytesOf(read.before);
  const whole = new Uint8Array(before.length + body.length);
  whole.set(before);
  whole.set(body, before.length);
  let holds = false;
  for (const signature of read.signatures)
    holds = (await crypto.subtle.verify('HMAC', key, signature, whole)) || holds;
  if (!holds) return 'forged';
  return read.at !== null && Math.abs(wallMillis - read.at * 1000) > ageMsMax ? 'too-old' : 'holds';
};

/** `t=1,v1=…,v1=…,v0=…` */
const readStripe = (header: string | null): Signed | null => {
  const parts = (header ?? '').split(',').map(part => part.trim());
  const at = parts.find(part => part.startsWith('t='))?.slice('t='.length) ?? null;
  const signatures = parts.filter(part => part.startsWith('v1=')).map(part => hexAfter('v1=', part));
  return timed(at, { key: 'text', signatures, before: `${at}.` });
};

/** Standard Webhooks, and Svix under its own names: `v1,… v1,…`. */
const readNamed = (only: (name: string) => string | null, prefix: 'svix' | 'webhook'): Signed | null => {
  const id = only(`${prefix}-id`);
  const at = only(`${prefix}-timestamp`);
  const signatures = (only(`${prefix}-signature`) ?? '')
    .split(' ')
    .filter(part => part.startsWith('v1,'))
    .map(part => base64(part.slice('v1,'.length)));
  return id === null || id === '' ? null : timed(at, { key: 'base64', signatures, before: `${id}.${at}.` });
};

type Parts = Pick<Signed, 'key' | 'before'> & {
  readonly signatures: readonly (Signed['signatures'][0] | null)[];
};

const timed = (at: string | null, parts: Parts): Signed | null =>
  at !== null && /^\d{1,12}$/.test(at) ? signed({ ...parts, at: Number(at) }) : null;

const signed = (parts: Parts & { readonly at: number | null }): Signed | null => {
  const signatures = parts.signatures.filter(each => each !== null).slice(0, SIGNATURES_MAX);
  return signatures.length === 0 ? null : { ...parts, hash: 'SHA-256', signatures };
};

const hexAfter = (prefix: string, text: string | null): Signed['signatures'][0] | null => {
  const hex = text?.startsWith(prefix) === true ? text.slice(prefix.length) : '';
  if (!/^(?:[0-9a-f]{2}){32}$/i.test(hex)) return null;
  return Uint8Array.from(hex.match(/../g)!, pair => Number.parseInt(pair, 16));
};

const base64 = (text: string): Signed['signatures'][0] | null => {
  if (!/^[A-Za-z0-9+/]{1,128}={0,2}$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  } catch {
    return null;
  }
};
