// What opens something, found in whatever an app and its vendor say to each other, and masked: by the shapes that vendors
// give their keys, by the names of fields, and by what the request itself was let in with, wherever that comes back. The
// same text is masked the same way each time, so that a request still is the one that was recorded.
import type { CallHeaders } from './call.ts';
import type { Json } from './json.ts';
import { SECRET_DEPTH_MAX, SECRETS_OWN_MAX } from './limits.ts';

/** `kept`: the first group stays, since it says what the secret is of. */
type Shape = { readonly name: string; readonly pattern: string; readonly kept?: true };

/**
 * Each vendor's as its own documents and the scanners of secrets have it. `B` stands for "no word before it". Linear: no
 * count within a count.
 */
export const SHAPES: readonly Shape[] = [
  {
    name: 'private-key',
    pattern: '-----[B]EGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-----END [A-Z0-9 ]*-----)?',
  },
  { name: 'age-key', pattern: 'AGE-SECRET-KEY-1[A-Z0-9]{20,}' },
  // An object's own secret is told by what it is of: that much the vendor's scripts read of it.
  {
    name: 'stripe-client-secret',
    pattern:
      'B((?:pi|seti|cs_test|cs_live|src|ca|fcsess|vs|pm|sub|in)_[A-Za-z0-9]{6,}_secret_)[A-Za-z0-9_%]+',
    kept: true,
  },
  { name: 'stripe-key', pattern: 'B(?:sk|rk|pk|ek|uk|ephkey)_(?:live|test)_[A-Za-z0-9*]{4,}' },
  { name: 'stripe-key', pattern: 'B(?:sk|rk)_org_(?:live_|test_)?[A-Za-z0-9*]{4,}' },
  { name: 'stripe-key', pattern: 'Bacct_[A-Za-z0-9]+_secret_[A-Za-z0-9]+' },
  { name: 'webhook-secret', pattern: 'Bwhsec_[A-Za-z0-9+/=%]{8,}' },
  { name: 'anthropic-key', pattern: 'Bsk-ant-[A-Za-z0-9_-]{8,}' },
  { name: 'openai-key', pattern: 'Bsk-(?:proj|svcacct|admin|None|or-v1|or)-[A-Za-z0-9_*-]{8,}' },
  { name: 'openai-key', pattern: 'Bsk-[A-Za-z0-9]{16,}' },
  { name: 'openai-key', pattern: 'B(?:sess|ek)[-_][A-Za-z0-9]{20,}' },
  {
    name: 'cut-key',
    pattern: 'B(?:sk|pk|rk|key|gsk|xai)[-_][A-Za-z0-9_-]{0,32}[*•…]{3,}[A-Za-z0-9_-]{0,16}',
  },
  { name: 'github-token', pattern: 'Bgh[opusr]_[A-Za-z0-9]{16,}' },
  { name: 'github-token', pattern: 'Bgithub_pat_[A-Za-z0-9_]{20,}' },
  { name: 'gitlab-token', pattern: 'Bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_.-]{16,}' },
  { name: 'slack-token', pattern: 'Bxox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{8,}' },
  { name: 'slack-token', pattern: 'Bxapp-[0-9]-[A-Za-z0-9-]{8,}' },
  {
    name: 'slack-webhook',
    pattern: '(hooks\\.slack(?:-gov)?\\.com/(?:services|workflows|triggers)/)[A-Za-z0-9/_-]{8,}',
    kept: true,
  },
  { name: 'google-key', pattern: 'BAIza[A-Za-z0-9_-]{30,}' },
  { name: 'google-token', pattern: 'Bya29\\.[A-Za-z0-9._-]{8,}' },
  { name: 'google-token', pattern: 'B1//[A-Za-z0-9_-]{20,}' },
  { name: 'google-secret', pattern: 'BGOCSPX-[A-Za-z0-9_-]{16,}' },
  { name: 'resend-key', pattern: 'Bre_[A-Za-z0-9]{6,}_[A-Za-z0-9]{16,}' },
  { name: 'resend-key', pattern: 'Bre_[A-Za-z0-9]{24,}' },
  { name: 'aws-key', pattern: 'B(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}' },
  { name: 'aws-key', pattern: 'B(?:bedrock-api-key-|ABSK)[A-Za-z0-9+/=%]{20,}' },
  { name: 'azure-signature', pattern: '([?&;]sig=)[A-Za-z0-9%+/=]{16,}', kept: true },
  { name: 'azure-key', pattern: '((?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/=]{16,}', kept: true },
  { name: 'twilio-key', pattern: 'B(?:SK|AC)[0-9a-f]{32}' },
  { name: 'sendgrid-key', pattern: 'BSG\\.[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}' },
  { name: 'mailgun-key', pattern: 'Bkey-[0-9a-f]{24,}' },
  { name: 'mailchimp-key', pattern: 'B[0-9a-f]{32}-us[0-9]{1,2}' },
  { name: 'brevo-key', pattern: 'Bxkeysib-[A-Za-z0-9-]{20,}' },
  { name: 'npm-token', pattern: 'Bnpm_[A-Za-z0-9]{20,}' },
  { name: 'pypi-token', pattern: 'Bpypi-[A-Za-z0-9_-]{20,}' },
  { name: 'hugging-face-token', pattern: 'B(?:hf|api_org)_[A-Za-z0-9]{16,}' },
  { name: 'groq-key', pattern: 'Bgsk_[A-Za-z0-9]{16,}' },
  { name: 'xai-key', pattern: 'Bxai-[A-Za-z0-9]{16,}' },
  { name: 'perplexity-key', pattern: 'Bpplx-[A-Za-z0-9]{16,}' },
  { name: 'replicate-token', pattern: 'Br8_[A-Za-z0-9]{16,}' },
  { name: 'fireworks-key', pattern: 'Bfw_[A-Za-z0-9]{16,}' },
  { name: 'langsmith-key', pattern: 'Bls(?:v2)?_(?:pt|sk)?_?[A-Za-z0-9_]{20,}' },
  { name: 'langfuse-key', pattern: 'B(?:sk|pk)-lf-[A-Za-z0-9-]{16,}' },
  { name: 'pinecone-key', pattern: 'Bpcsk_[A-Za-z0-9_]{16,}' },
  { name: 'tavily-key', pattern: 'Btvly-[A-Za-z0-9-]{16,}' },
  { name: 'linear-key', pattern: 'Blin_(?:api|oauth)_[A-Za-z0-9]{16,}' },
  { name: 'notion-token', pattern: 'B(?:ntn|secret)_[A-Za-z0-9]{20,}' },
  { name: 'shopify-token', pattern: 'Bshp(?:at|ca|pa|ss|ua)_[A-Za-z0-9]{16,}' },
  { name: 'square-token', pattern: 'B(?:EAAA[A-Za-z0-9_-]{20,}|sq0[a-z]{3}-[A-Za-z0-9_-]{16,})' },
  { name: 'facebook-token', pattern: 'BEAA[A-Za-z0-9]{30,}' },
  { name: 'digital-ocean-token', pattern: 'Bdo[opr]_v1_[A-Za-z0-9]{16,}' },
  { name: 'telegram-token', pattern: 'B(?:bot)?[0-9]{8,10}:[A-Za-z0-9_-]{32,}' },
  { name: 'discord-token', pattern: 'B[MNO][A-Za-z0-9_-]{22,26}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{25,}' },
  { name: 'vault-token', pattern: 'Bhv[sbr]\\.[A-Za-z0-9_-]{16,}' },
  { name: 'doppler-token', pattern: 'Bdp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{16,}' },
  { name: 'sentry-token', pattern: 'Bsntry[su]_[A-Za-z0-9+/=%_-]{16,}' },
  { name: 'databricks-token', pattern: 'Bdapi[0-9a-f]{30,}' },
  { name: 'atlassian-token', pattern: 'BATATT[A-Za-z0-9_=-]{20,}' },
  { name: 'airtable-token', pattern: 'Bpat[A-Za-z0-9]{14}\\.[A-Za-z0-9]{20,}' },
  { name: 'planetscale-token', pattern: 'Bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{16,}' },
  { name: 'supabase-key', pattern: 'Bsb_(?:secret|publishable)_[A-Za-z0-9_-]{16,}' },
  { name: 'neon-key', pattern: 'Bnapi_[A-Za-z0-9]{16,}' },
  { name: 'together-key', pattern: 'Btgp_v1_[A-Za-z0-9_-]{20,}' },
  { name: 'supabase-token', pattern: 'Bsbp_[0-9a-f]{32,}' },
  { name: 'figma-token', pattern: 'Bfig[dour]{1,2}_[A-Za-z0-9_-]{20,}' },
  { name: 'cloudflare-key', pattern: 'Bv1\\.0-[0-9a-f]{24}-[0-9a-f]{32,}' },
  { name: 'new-relic-key', pattern: 'BNR(?:AK|JS|II|AA|RA)-[A-Za-z0-9]{16,}' },
  { name: 'voyage-key', pattern: 'Bpa-[A-Za-z0-9_-]{32,}' },
  { name: 'nvidia-key', pattern: 'Bnvapi-[A-Za-z0-9_-]{20,}' },
  { name: 'cerebras-key', pattern: 'Bcsk-[A-Za-z0-9]{20,}' },
  { name: 'jina-key', pattern: 'Bjina_[A-Za-z0-9_-]{20,}' },
  { name: 'firecrawl-key', pattern: 'Bfc-[0-9a-f]{32}' },
  { name: 'e2b-key', pattern: 'Be2b_[0-9a-f]{32,}' },
  { name: 'modal-key', pattern: 'Ba[ks]-[A-Za-z0-9]{20,}' },
  { name: 'weights-and-biases-key', pattern: 'Bwandb_v1_[A-Za-z0-9_]{20,}' },
  { name: 'posthog-key', pattern: 'Bph[xcs]_[A-Za-z0-9]{20,}' },
  { name: 'netlify-token', pattern: 'Bnf[bcopu]_[A-Za-z0-9]{20,}' },
  { name: 'vercel-token', pattern: 'B(?:vercel_blob_rw_|vc[aikpru]_)[A-Za-z0-9_]{20,}' },
  { name: 'render-key', pattern: 'Brnd_[A-Za-z0-9]{20,}' },
  { name: 'fly-token', pattern: 'Bfm[12][ar]?_[A-Za-z0-9+/=,_-]{20,}' },
  { name: 'heroku-key', pattern: 'BHRKU-[A-Za-z0-9_-]{20,}' },
  { name: 'dropbox-token', pattern: 'Bsl\\.[A-Za-z0-9_-]{30,}' },
  { name: 'asana-token', pattern: 'B[0-9]/[0-9]{16}(?:/[0-9]{16})?:[0-9a-f]{32}' },
  { name: 'grafana-token', pattern: 'Bgl(?:sa|c)_[A-Za-z0-9+/=_]{20,}' },
  { name: 'pulumi-token', pattern: 'Bpul-[0-9a-f]{32,}' },
  { name: 'terraform-token', pattern: 'B[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{20,}' },
  { name: 'docker-token', pattern: 'Bdckr_[op]at_[A-Za-z0-9_-]{20,}' },
  { name: 'hubspot-token', pattern: 'Bpat-(?:na|eu|ap)[0-9]-[0-9a-f-]{32,}' },
  { name: 'postman-key', pattern: 'BPMAK-[A-Za-z0-9-]{20,}' },
  { name: 'tailscale-key', pattern: 'Btskey-[A-Za-z0-9-]{16,}' },
  { name: 'one-password-token', pattern: 'Bops_eyJ[A-Za-z0-9_-]{20,}' },
  { name: 'plaid-token', pattern: 'Baccess-(?:sandbox|development|production)-[0-9a-f-]{32,}' },
  { name: 'dynatrace-token', pattern: 'Bdt0[a-z][0-9]{2}\\.[A-Za-z0-9.]{20,}' },
  { name: 'contentful-token', pattern: 'BCFPAT-[A-Za-z0-9_-]{20,}' },
  { name: 'rubygems-key', pattern: 'Brubygems_[0-9a-f]{32,}' },
  { name: 'sonar-token', pattern: 'Bsq[apu]_[0-9a-f]{32,}' },
  { name: 'easypost-key', pattern: 'BEZ[AT]K[A-Za-z0-9]{20,}' },
  { name: 'shippo-token', pattern: 'Bshippo_(?:live|test)_[0-9a-f]{32,}' },
  { name: 'okta-token', pattern: '(BSSWS[ \\t]+)[A-Za-z0-9_-]{20,}', kept: true },
  {
    name: 'webhook-address',
    pattern:
      '(B(?:hooks\\.zapier\\.com/hooks/catch|discord(?:app)?\\.com/api/webhooks)/[0-9]+/)[A-Za-z0-9_-]{6,}',
    kept: true,
  },
  { name: 'jwt', pattern: 'BeyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*)?' },
  {
    name: 'credential',
    pattern: '(B(?:[Bb]earer|[Bb]asic|[Tt]oken|BEARER|BASIC)[ \\t]+)[A-Za-z0-9+/_.~=:|-]{12,}',
    kept: true,
  },
  {
    name: 'password',
    pattern: '([a-z][a-z0-9+.-]{1,20}://[^\\s/:@?#"\']{0,200}:)[^\\s/@?#"\']{1,200}(?=@)',
    kept: true,
  },
  // `api_key=…`, `"password": "…"`, in a text that is about something else.
  {
    name: 'secret',
    pattern:
      '(B(?:api[_-]?key|apikey|secret|client[_-]secret|password|passwd|access[_-]?token|refresh[_-]?token|auth[_-]?token|private[_-]?key)["\']{0,2}[ \\t]{0,4}[:=][ \\t]{0,4}["\']?)(?!masked)[A-Za-z0-9+/_.~%!$@-]{8,}={0,2}',
    kept: true,
  },
  // Of a vendor that nobody has heard of: a word for a key, and then what nobody would write by hand.
  {
    name: 'key',
    pattern:
      'B(?:sk|rk|ak|key|api|apikey|api_key|api-key|pat|tok|token|secret)(?:[-_][a-z]{2,8})?[-_](?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{20,}',
  },
];

/** Stands in the place of a secret; itself nothing that is masked. */
const MASK = 'masked-';
const NOT_IN_A_WORD = '(?<![A-Za-z0-9])';

/** A shape as a regular expression's source. */
export const sourceOf = ({ pattern }: Shape): string => pattern.replace(/^B|(?<=^\()B/, NOT_IN_A_WORD);

const ALL = new RegExp(
  SHAPES.map((shape, at) => `(?<s${at}>${sourceOf(shape).replace(/\((?!\?)/g, `(?<k${at}>`)})`).join('|'),
  'g',
);

/** A place in a text, and what stands there instead. */
export type Masked = { readonly start: number; readonly end: number; readonly by: string };

/** `own`: what the request was let in with (`credentialsOf`). In order, none over another. */
export function secretsIn(text: string, own: readonly string[] = []): readonly Masked[] {
  const found: Masked[] = [];
  // First, so that it is masked the same with whichever key a request comes.
  for (const secret of own)
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      found.push({ start: at, end: at + secret.length, by: `${MASK}credential` });
  return joined([...found, ...shapesIn(text), ...encodedIn(text)]);
}

function shapesIn(text: string): readonly Masked[] {
  const found: Masked[] = [];
  for (const match of text.matchAll(ALL)) {
    const at = SHAPES.findIndex((_, index) => match.groups?.[`s${index}`] !== undefined);
    const shape = SHAPES[at]!;
    const whole = match[0];
    const kept = shape.kept === true ? (match.groups?.[`k${at}`] ?? '') : '';
    if (text.startsWith(MASK, match.index + kept.length)) continue;
    found.push({ start: match.index, end: match.index + whole.length, by: `${kept}${MASK}${shape.name}` });
  }
  return found;
}

/** As long as the shortest key in Base64, about: nothing shorter is looked into. */
const BASE64 = /[A-Za-z0-9+/_-]{20,}/g;
const BASE64_GROUP = 4;
const BYTES_OF_GROUP = 3;

/** What a text says in Base64: it may begin anywhere in a run of its letters, for a path's are among them. */
function encodedIn(text: string): readonly Masked[] {
  const found: Masked[] = [];
  for (const { 0: run, index } of text.matchAll(BASE64))
    for (let skipped = 0; skipped < BASE64_GROUP; skipped += 1) {
      const from = index + skipped;
      for (const { start, end } of shapesIn(decoded(run.slice(skipped))))
        found.push({
          start: from + Math.floor((start * BASE64_GROUP) / BYTES_OF_GROUP),
          end: Math.min(index + run.length, from + Math.ceil((end * BASE64_GROUP) / BYTES_OF_GROUP)),
          by: `${MASK}base64`,
        });
    }
  return found;
}

function decoded(run: string): string {
  const plain = run.replaceAll('-', '+').replaceAll('_', '/');
  // One letter more than whole groups is half a byte.
  return atob(plain.length % BASE64_GROUP === 1 ? plain.slice(0, -1) : plain);
}

/** Where two meet, one mask stands for both. */
function joined(found: readonly Masked[]): readonly Masked[] {
  const made: Masked[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = made.at(-1);
    if (last === undefined || next.start >= last.end) made.push(next);
    else if (next.end > last.end) made[made.length - 1] = { ...last, end: next.end };
  }
  return made;
}

export function maskText(text: string, own: readonly string[] = []): string {
  let masked = '';
  let from = 0;
  for (const { start, end, by } of secretsIn(text, own)) {
    masked += text.slice(from, start) + by;
    from = end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

/** A path, in which a key may stand percent-encoded. */
export function maskPath(path: string, own: readonly string[] = []): string {
  const part = (text: string): string => {
    const plain = unescaped(text);
    const masked = maskText(plain, own);
    return masked === plain ? text : encodeURIComponent(masked);
  };
  return maskText(path, own).split('/').map(part).join('/');
}

function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const hasSecret = (text: string, own: readonly string[] = []): boolean =>
  secretsIn(text, own).length > 0;

/** Names of fields whose texts are secret, whatever they look like. */
const NAMES =
  /(?:^|[_.-])(?:secret|password|passwd|pwd|passphrase|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|authorization|proxy[_-]authorization|cookie|set[_-]cookie|credentials?|client[_-]?secret|session[_-]?token|ephemeral[_-]?key|persistent[_-]?token)s?$/;
/** A token opens something, unless it is a page's, or a word's in a model's answer. */
const TOKEN = /(?:^|[_.-])(?:token|jwt|bearer)$/;
const PLACE_TOKEN =
  /(?:page|next|prev|previous|sync|continuation|cursor|start|resume|stop|pad|eos|bos)[_.-]?(?:page)?[_.-]?token$/;
const TOKEN_CHARS_MIN = 16;

/** `clientSecret` as `client_secret`. */
const snake = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();

export function isSecretName(name: string, value: string): boolean {
  const plain = snake(name);
  if (NAMES.test(plain)) return true;
  return (
    TOKEN.test(plain) && !PLACE_TOKEN.test(plain) && value.length >= TOKEN_CHARS_MIN && !/\s/.test(value)
  );
}

/** A field's text, masked: by its name, or by what it looks like. */
export function maskField(name: string, value: string, own: readonly string[] = []): string {
  if (value === '' || value.startsWith(MASK)) return value;
  const masked = maskText(value, own);
  if (masked !== value || !isSecretName(name, value)) return masked;
  return `${MASK}${snake(name).replace(/[^a-z0-9]+/g, '-')}`;
}

/** Every text in it, names too; the same value where nothing is masked. `name`: of the field that it is in. */
export function maskJson(value: Json, own: readonly string[] = [], name = '', depth = 0): Json {
  if (typeof value === 'string') return maskField(name, value, own);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > SECRET_DEPTH_MAX) return `${MASK}too-deep`;
  if (Array.isArray(value)) {
    const made = value.map(each => maskJson(each, own, name, depth + 1));
    return made.every((each, at) => each === value[at]) ? value : made;
  }
  const fields = Object.entries(value);
  const made = fields.map(
    ([inner, each]) => [maskText(inner, own), maskJson(each, own, inner, depth + 1)] as const,
  );
  const same = made.every(([inner, each], at) => inner === fields[at]![0] && each === fields[at]![1]);
  return same ? value : Object.fromEntries(made);
}

const CREDENTIAL_CHARS_MIN = 8;
const CREDENTIAL_HEADER = /authorization|cookie|token|secret|(?:^|-)key$|-key-|apikey|password/;
/** What repeats a request, and opens nothing. */
const NO_CREDENTIAL = /^(?:idempotency-key|sec-websocket-key)$/;

export const isCredentialHeader = (name: string): boolean =>
  CREDENTIAL_HEADER.test(name) && !NO_CREDENTIAL.test(name);

/** What a request was let in with, in each form in which it may come back: as it is, in a URL, and in Base64. */
export function credentialsOf(headers: CallHeaders, query: string): readonly string[] {
  const found = new Set<string>();
  const add = (text: string): void => {
    if (text.length < CREDENTIAL_CHARS_MIN) return;
    for (const form of [text, encodeURIComponent(text), base64(text), base64(`${text}:`)]) found.add(form);
  };
  for (const [name, values] of Object.entries(headers)) {
    if (!isCredentialHeader(name)) continue;
    for (const value of [values ?? []].flat()) for (const part of partsOf(name, value)) add(part);
  }
  for (const [name, value] of new URLSearchParams(query))
    if (isSecretName(name, value) || name === 'key') add(value);
  return [...found].slice(0, SECRETS_OWN_MAX).toSorted((a, b) => b.length - a.length);
}

function partsOf(name: string, value: string): readonly string[] {
  if (name.includes('cookie')) return value.split(/;\s*/).map(each => each.slice(each.indexOf('=') + 1));
  if (!name.endsWith('authorization')) return [value.trim()];
  const [scheme = '', rest] = value.trim().split(/\s+(.*)/s);
  const secret = rest ?? scheme;
  if (scheme.toLowerCase() !== 'basic') return [secret];
  try {
    return [secret, ...atob(secret).split(':')];
  } catch {
    return [secret];
  }
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join('')).replace(
    /=+$/,
    '',
  );
}
