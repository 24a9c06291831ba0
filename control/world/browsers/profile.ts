// What a browser profile may say (2.5). Its shape is schema/browser-profile.schema.json; what no schema says is here.

import { nearest } from '../config/nearest.ts';
import type { SchemaError } from '../config/schema.generated.js';
import { validateBrowserProfile } from './schema.generated.js';

export type BrowserCookie = {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
  /** Unix seconds, or -1 for a session cookie. */
  readonly expires: number;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: 'Strict' | 'Lax' | 'None';
  readonly partitionKey?: string;
  readonly _crHasCrossSiteAncestor?: boolean;
};

export type BrowserOrigin = {
  readonly origin: string;
  readonly localStorage: readonly { readonly name: string; readonly value: string }[];
  /** Carried as it came. */
  readonly indexedDB?: readonly unknown[];
};

export type BrowserContext = {
  readonly viewport?: { readonly width: number; readonly height: number } | null;
  readonly deviceScaleFactor?: number;
  readonly isMobile?: boolean;
  readonly locale?: string;
  readonly extraHTTPHeaders?: { readonly [name: string]: string };
  readonly [option: string]: unknown;
};

export type BrowserProfile = {
  readonly storageState: {
    readonly cookies: readonly BrowserCookie[];
    readonly origins: readonly BrowserOrigin[];
  };
  readonly context: BrowserContext;
};

export type ProfileResult =
  | { readonly ok: true; readonly profile: BrowserProfile }
  /** Each says where, by a JSON pointer, and what is accepted there. */
  | { readonly ok: false; readonly faults: readonly string[] };

const FAULTS_SHOWN = 8;

/** `value` is parsed JSON. A legacy `{ cookies, origins }` is a profile's `storageState` (2.5, rule 6). */
export function parseProfile(value: unknown): ProfileResult {
  const profile = isLegacy(value) ? { storageState: value } : value;
  if (!validateBrowserProfile(profile)) {
    // Beside `propertyNames` there is an error that says which pattern the name broke.
    const errors = (validateBrowserProfile.errors ?? []).filter(each => each.keyword !== 'propertyNames');
    const faults = errors.map(explain);
    return { ok: false, faults: [...new Set(faults)].slice(0, FAULTS_SHOWN) };
  }
  const { storageState, context = {} } = profile as BrowserProfile & { readonly context?: BrowserContext };
  const faults = [...faultsOfState(storageState), ...faultsOfContext(context)].slice(0, FAULTS_SHOWN);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, profile: { storageState, context } };
}

function isLegacy(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Object.hasOwn(value, 'storageState') &&
    (Object.hasOwn(value, 'cookies') || Object.hasOwn(value, 'origins'))
  );
}

function* faultsOfState({ cookies, origins }: BrowserProfile['storageState']): Iterable<string> {
  for (const [index, { expires }] of cookies.entries())
    if (expires < 0 && expires !== -1) yield `/storageState/cookies/${index}/expires: Unix seconds, or -1`;
  yield* twice(cookies, '/storageState/cookies', 'name');
  yield* twice(origins, '/storageState/origins', 'origin');
  for (const [index, { origin, localStorage }] of origins.entries()) {
    const at = `/storageState/origins/${index}`;
    if (!isCanonicalOrigin(origin))
      yield `${at}/origin: a canonical http or https origin without a path, such as https://dashboard.stripe.com`;
    yield* twice(localStorage, `${at}/localStorage`, 'name');
  }
}

function* faultsOfContext({ viewport, deviceScaleFactor, isMobile }: BrowserContext): Iterable<string> {
  if (viewport !== null) return;
  if (deviceScaleFactor !== undefined)
    yield '/context/deviceScaleFactor: not beside a viewport that is null; leave one of the two out';
  if (isMobile === true) yield '/context/isMobile: not true beside a viewport that is null';
}

function* twice<Key extends string>(
  items: readonly { readonly [key in Key]: string }[],
  at: string,
  key: Key,
): Iterable<string> {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (seen.has(item[key])) yield `${at}/${index}/${key}: ${JSON.stringify(item[key])} is there twice`;
    seen.add(item[key]);
  }
}

function isCanonicalOrigin(text: string): boolean {
  if (!/^https?:/.test(text)) return false;
  try {
    return new URL(text).origin === text;
  } catch {
    return false;
  }
}

function explain({
  instancePath,
  keyword,
  params,
  parentSchema,
  propertyName,
  message,
}: SchemaError): string {
  const at = instancePath === '' ? 'the profile' : instancePath;
  if (keyword === 'additionalProperties') {
    const key = String(params['additionalProperty']);
    const accepted = Object.keys((parentSchema['properties'] as object | undefined) ?? {});
    const near = nearest(key, accepted);
    const hint = near === undefined ? '' : `did you mean ${near}? `;
    return `${at}: unknown key ${JSON.stringify(key)}; ${hint}accepted: ${accepted.join(', ')}`;
  }
  if (keyword === 'enum')
    return `${at}: accepted: ${(params['allowedValues'] as unknown[]).map(one => JSON.stringify(one)).join(', ')}`;
  if (keyword === 'pattern' && propertyName !== undefined)
    return `${at}: ${JSON.stringify(propertyName)} is no header’s name`;
  if (keyword === 'pattern') return `${at}: holds a character that cannot stand there, or is empty`;
  return `${at}: ${message ?? keyword}`;
}
