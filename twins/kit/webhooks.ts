// Signs a delivery as each vendor does. WebCrypto, so that every host has it. Always with wall time: the vendors'
// SDKs refuse a signature older than five minutes, whatever the world's clock says.
import type { OwnHeaders, Signature, ToSign } from './twin.ts';

export type SignatureHeaders = OwnHeaders;
export type HashName = 'SHA-1' | 'SHA-256';
type Scheme = Exclude<Signature['scheme'], 'own'>;

const encoder = new TextEncoder();

/** On a buffer of its own, as every host's WebCrypto types want it. */
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(encoder.encode(text));

/** The headers to add to a delivery. A scheme of the twin's own is held to headers that can be sent. */
export async function signatureHeaders(signature: Signature, signed: ToSign): Promise<SignatureHeaders> {
  if (signature.scheme !== 'own')
    return signDelivery(signature.scheme, signature.secret, signed.body, signed.wallMillis, signed.event);
  const headers = await signature.sign(signed);
  for (const [name, value] of headers)
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || /[\r\n\0]/.test(value))
      throw new TypeError(`sign answered ${JSON.stringify(name)}, which is no header that can be sent`);
  return headers;
}

/**
 * The headers of a known scheme. `wallMillis` is wall time in milliseconds since 1970.
 * `svix` and `standard` secrets are `whsec_` and base64; the others are used as they are written.
 */
export async function signDelivery(
  scheme: Scheme,
  secret: string,
  body: string,
  wallMillis: number,
  event: { readonly id: string },
): Promise<SignatureHeaders> {
  const seconds = Math.floor(wallMillis / 1000);
  switch (scheme) {
    case 'stripe': {
      const mac = await hmac('SHA-256', bytesOf(secret), `${seconds}.${body}`);
      return [['Stripe-Signature', `t=${seconds},v1=${hex(mac)}`]];
    }
    case 'github':
      return [
        ['X-Hub-Signature', `sha1=${hex(await hmac('SHA-1', bytesOf(secret), body))}`],
        ['X-Hub-Signature-256', `sha256=${hex(await hmac('SHA-256', bytesOf(secret), body))}`],
      ];
    case 'slack': {
      const mac = await hmac('SHA-256', bytesOf(secret), `v0:${seconds}:${body}`);
      return [
        ['X-Slack-Request-Timestamp', String(seconds)],
        ['X-Slack-Signature', `v0=${hex(mac)}`],
      ];
    }
    case 'svix':
      return named('svix', secret, body, seconds, event.id);
    case 'standard':
      return named('webhook', secret, body, seconds, event.id);
    case 'none':
      return [];
  }
}

/** Standard Webhooks; Svix is the same under its own header names. */
async function named(
  prefix: 'svix' | 'webhook',
  secret: string,
  body: string,
  seconds: number,
  id: string,
): Promise<SignatureHeaders> {
  const mac = await hmac('SHA-256', webhookKey(secret), `${id}.${seconds}.${body}`);
  return [
    [`${prefix}-id`, id],
    [`${prefix}-timestamp`, String(seconds)],
    [`${prefix}-signature`, `v1,${base64(mac)}`],
  ];
}

/** The base64 after `whsec_`; a secret that is no base64 is its own bytes. */
export function webhookKey(secret: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret);
    return Uint8Array.from(binary, letter => letter.charCodeAt(0));
  } catch {
    return bytesOf(secret);
  }
}

async function hmac(hash: HashName, key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytesOf(text)));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
