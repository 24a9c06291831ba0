// What is shown to a real vendor (2.9): its key as the vendor writes it, or the headers that it takes; and the secret that
// its webhooks are signed with.
import { parseJson } from '../../../policy/json-text.ts';
import { Secret } from '../access/secret.ts';
import { CREDENTIAL_CHARS_MAX, CREDENTIAL_HEADERS_MAX } from '../limits.ts';

export type VendorCredential = {
  readonly shown:
    | { readonly as: 'key'; readonly key: Secret }
    | { readonly as: 'headers'; readonly headers: readonly (readonly [name: string, value: Secret])[] };
  /** Null: no webhook of the vendor's comes in. */
  readonly signingSecret: Secret | null;
};

export type CredentialResult =
  | { readonly ok: true; readonly credential: VendorCredential }
  | {
      readonly ok: false;
      /** It quotes nothing of what was given. */
      readonly message: string;
    };

const FORM =
  'A credential is { "credential": "…" } or { "headers": { "Authorization": "…" } }, and may have a "signingSecret".';
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** Headers that say how a request is carried, and are no credential of anybody's. */
const NO_CREDENTIAL =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|proxy-.*|expect|x-wrld-.*|x-twins-key)$/i;

/** `{ credential | headers, signingSecret? }`, of anything. */
export const parseCredentialBody = (value: unknown): CredentialResult => {
  if (!isObject(value)) return bad(FORM);
  const { credential, headers, signingSecret, ...more } = value;
  if (Object.keys(more).length > 0 || (credential === undefined) === (headers === undefined))
    return bad(FORM);
  if (signingSecret !== undefined && !isText(signingSecret))
    return bad('`signingSecret` is one line of visible ASCII, as the vendor shows it.');
  const secret = signingSecret === undefined ? null : new Secret(signingSecret as string);
  if (credential !== undefined)
    return isText(credential)
      ? { ok: true, credential: { shown: { as: 'key', key: new Secret(credential) }, signingSecret: secret } }
      : bad('`credential` is one line of visible ASCII, as the vendor shows it.');
  const given = isObject(headers) ? Object.entries(headers) : [];
  if (given.length === 0 || given.length > CREDENTIAL_HEADERS_MAX)
    return bad(`\`headers\` are 1 to ${CREDENTIAL_HEADERS_MAX} names, each with its value.`);
  const read: (readonly [string, Secret])[] = [];
  for (const [name, text] of given) {
    if (!NAME.test(name) || NO_CREDENTIAL.test(name))
      return bad('A name of `headers` is no header that carries a credential.');
    if (!isText(text)) return bad(`The header ${name} is no line of visible ASCII.`);
    read.push([name, new Secret(text)]);
  }
  return { ok: true, credential: { shown: { as: 'headers', headers: read }, signingSecret: secret } };
};

/** The plain bytes that are sealed; `readCredential` reads them. */
export const credentialBytes = ({ shown, signingSecret }: VendorCredential): Uint8Array => {
  const body =
    shown.as === 'key'
      ? { credential: shown.key.reveal() }
      : { headers: Object.fromEntries(shown.headers.map(([name, value]) => [name, value.reveal()])) };
  return new TextEncoder().encode(
    JSON.stringify(signingSecret === null ? body : { ...body, signingSecret: signingSecret.reveal() }),
  );
};

/** Null for bytes that are none. */
export const readCredential = (plain: Uint8Array): VendorCredential | null => {
  const read = parseJson(plain);
  const parsed = read.ok ? parseCredentialBody(read.value) : null;
  return parsed?.ok === true ? parsed.credential : null;
};

const bad = (message: string): CredentialResult => ({ ok: false, message });

const isText = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= CREDENTIAL_CHARS_MAX &&
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
