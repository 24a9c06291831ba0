// A root as somebody writes it (2.8): in a request, in `.wrld/world.json`. What is left out has the twin's own values.
import { parseHost } from '../../../policy/authority.ts';
import { REFRESH_EVERY_MS_MAX, REFRESH_EVERY_MS_MIN, ROOT_URL_CHARS_MAX } from '../limits.ts';
import { parseDuration } from '../store/duration.ts';
import type { Root } from './root.ts';

export type RootResult =
  | { readonly ok: true; readonly root: Root }
  /** `at`: which of its fields, as a path; empty for all of it. */
  | { readonly ok: false; readonly at: readonly string[]; readonly message: string };

export type RootDefaults = Root['refresh'];

const DEPLOYS: readonly Root['deploy'][] = ['auto', 'manual', 'never'];

/** `loopback`: whether it may be on this machine, by a literal address. */
export const parseRoot = (
  value: unknown,
  { loopback, defaults }: { readonly loopback: boolean; readonly defaults: RootDefaults },
): RootResult => {
  if (!isObject(value))
    return no([], 'A root is { url, deploy, refresh: { every, atMost } }, or null for none.');
  const other = unknownKey(value, ['url', 'deploy', 'refresh']);
  if (other !== undefined) return no([other], `A root has no \`${other}\`: url, deploy and refresh are.`);
  const { url, deploy = 'manual', refresh = {} } = value;
  const read = readUrl(url, loopback);
  if (!read.ok) return no(['url'], read.message);
  if (!DEPLOYS.includes(deploy as Root['deploy']))
    return no(['deploy'], `\`deploy\` is ${DEPLOYS.map(each => `"${each}"`).join(', ')}.`);
  if (!isObject(refresh)) return no(['refresh'], '`refresh` is { every, atMost }.');
  const more = unknownKey(refresh, ['every', 'atMost']);
  if (more !== undefined)
    return no(['refresh', more], `\`refresh\` has no \`${more}\`: every and atMost are.`);
  const { every = defaults.every, atMost = defaults.atMost } = refresh;
  if (every !== null && !isWithin(every, REFRESH_EVERY_MS_MIN))
    return no(
      ['refresh', 'every'],
      '`refresh.every` is a duration from 10s to 31d, such as 15m, or null: only when asked.',
    );
  if (!isWithin(atMost, 0))
    return no(['refresh', 'atMost'], '`refresh.atMost` is a duration from 0s to 31d, such as 1m.');
  return {
    ok: true,
    root: {
      url: read.url,
      deploy: deploy as Root['deploy'],
      refresh: { every: every as string | null, atMost: atMost as string },
    },
  };
};

type ReadUrl = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly message: string };

/** Without a slash at its end. What a URL parser would mend is refused: what was written is what is asked. */
const readUrl = (text: unknown, loopback: boolean): ReadUrl => {
  const where = loopback ? ', or http(s) to 127.0.0.1 or [::1]' : '';
  const wrong = (why: string): ReadUrl => ({
    ok: false,
    message: `\`url\` ${why}. It is where the vendor’s API begins: https and a hostname${where}, such as https://api.stripe.com.`,
  });
  if (typeof text !== 'string') return wrong('is a text');
  if (text.length > ROOT_URL_CHARS_MAX) return wrong(`has at most ${ROOT_URL_CHARS_MAX} characters`);
  const parts = /^(https?):\/\/([^/?#@\\\s]+)((?:\/[A-Za-z0-9._~-]+)*)\/?$/.exec(text);
  const parsed = URL.parse(text);
  if (parts === null || parsed === null) return wrong('is no plain URL, without user, query or fragment');
  if (/\/\.\.?(?:\/|$)/.test(parts[3]!)) return wrong('has a path that leads elsewhere');
  const host = parseHost(parsed.hostname);
  if (!host.ok || host.host.includes('*')) return wrong('names no host');
  const isLiteral = /^(?:127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(parts[2]!);
  if (host.class === 'loopback' && isLiteral) {
    if (!loopback) return wrong('is on this machine, which this host does not reach for a world');
  } else if (host.class !== 'name') return wrong('names an address where a hostname belongs');
  else if (parsed.protocol !== 'https:') return wrong('is not https');
  return { ok: true, url: `${parsed.origin}${parts[3]}` };
};

const isWithin = (text: unknown, least: number): boolean => {
  const millis = parseDuration(text);
  return millis !== null && millis >= least && millis <= REFRESH_EVERY_MS_MAX;
};

const unknownKey = (value: object, known: readonly string[]): string | undefined =>
  Object.keys(value).find(key => !known.includes(key));

const no = (at: readonly string[], message: string): RootResult => ({ ok: false, at, message });

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
