// The versions of Stripe's API: which there are, and which one this twin's products speak.
import { invalid } from './errors.ts';
import { declaredShape } from './vendor.ts';

/** The version that products are written in, and that an account has whose callers name none. */
export const API_VERSION = '2026-10-28.endive';

let known: ReadonlySet<string> | undefined;

/** Every version that the vendor declares, oldest first. */
export function apiVersions(): ReadonlySet<string> {
  if (known === undefined) {
    const declared = declaredShape('webhookEndpoints.create')['api_version'];
    known = new Set(declared?.kind === 'text' ? declared.values : []);
  }
  return known;
}

/** Throws Stripe's refusal of a version that it never had. `2020-08-27;link_beta=v1` asks for a beta besides. */
export function checkVersion(version: string, param?: string): void {
  if (version === API_VERSION || apiVersions().has(version)) return;
  const at = version.indexOf(';');
  const beta = at < 0 ? '' : version.slice(at + 1).replace(/=.*$/s, '');
  const more =
    beta === '' || !apiVersions().has(version.slice(0, at))
      ? ''
      : `. You do not have permission to pass this beta header: ${beta}. If you have any questions, we can help at ` +
        'https://support.stripe.com/.';
  throw invalid(`Invalid Stripe API version: ${version.slice(0, VERSION_CHARS_MAX)}${more}`, {
    ...(param === undefined ? {} : { param }),
  });
}

/** What of a header is said again. */
const VERSION_CHARS_MAX = 100;
