// The addresses under which a browser opens a twin's sites (4.3): a real host is one DNS label, with its dots as hyphens,
// and a browser's copy of it is `<browser>--<site>`. Pure: routing, links and refusals are all made of these functions.
import { BROWSER_NAME_CHARS_MAX, HOST_LABEL_CHARS_MAX, HOST_NAME_CHARS_MAX } from '../limits.ts';

/** Where a world's sites have their addresses. */
export type SitePlace = {
  /** The host of the world's own origin, with its port: `shop--acme.localhost:4000`. */
  readonly ownHost: string;
  /** `hosted`: in one label with the world's, so that one wildcard certificate serves them; `local`: below it. */
  readonly form: 'local' | 'hosted';
};

/** A copy of a site: of a browser, or the plain one. */
export type SiteCopy = {
  /** Null for the plain copy. */
  readonly browser: string | null;
  /** The real host. */
  readonly host: string;
};

const BROWSER_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function isBrowserName(name: string): boolean {
  return name.length <= BROWSER_NAME_CHARS_MAX && BROWSER_NAME.test(name);
}

/** A port is a part of the name too. */
export function siteLabel(host: string): string {
  return host.toLowerCase().replaceAll(/[.:]/g, '-');
}

/** What a copy is called within its world; one cookie jar, and one session. */
export function copyLabel({ browser, host }: SiteCopy): string {
  return browser === null ? siteLabel(host) : `${browser}--${siteLabel(host)}`;
}

/** What every address of a world's sites ends with. */
function endOf({ ownHost, form }: SitePlace): string {
  return `${form === 'local' ? '.' : '--'}${ownHost}`;
}

/** Whether a request's host is below or beside the world's own, be there such a site or not. */
export function isSiteHost(place: SitePlace, requested: string): boolean {
  const end = endOf(place);
  return requested.length > end.length && requested.endsWith(end);
}

/**
 * The copy that a request's host names, as every browser writes it; null for none. `hosts`: of the sites that are claimed.
 * Rule 3: what is exactly a site's label is that site, whatever browser there is.
 */
export function copyAt(place: SitePlace, requested: string, hosts: readonly string[]): SiteCopy | null {
  if (!isSiteHost(place, requested)) return null;
  const label = requested.slice(0, -endOf(place).length);
  const plain = hosts.find(host => siteLabel(host) === label);
  if (plain !== undefined) return { browser: null, host: plain };
  // No browser's name has two hyphens in a row, and a site's label may.
  const split = label.indexOf('--');
  if (split === -1 || !isBrowserName(label.slice(0, split))) return null;
  const host = hosts.find(each => siteLabel(each) === label.slice(split + 2));
  return host === undefined ? null : { browser: label.slice(0, split), host };
}

/** The host, with its port, at which a copy is; null where no name can be made that leads to it (rule 2). */
export function addressOf(place: SitePlace, copy: SiteCopy, hosts: readonly string[]): string | null {
  const address = `${copyLabel(copy)}${endOf(place)}`;
  if (!isHostName(address)) return null;
  const there = copyAt(place, address, hosts);
  return there?.host === copy.host && there.browser === copy.browser ? address : null;
}

/** `xn--` says that a label is in Punycode, which none of these is. */
function isHostName(address: string): boolean {
  const name = address.replace(/:\d+$/, '');
  const [label = ''] = name.split('.', 1);
  return (
    label.length <= HOST_LABEL_CHARS_MAX &&
    name.length <= HOST_NAME_CHARS_MAX &&
    /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(label) &&
    !label.startsWith('xn--')
  );
}

export type BrowserLabels =
  | { readonly ok: true }
  | { readonly ok: false; readonly why: 'no-site-fits' | 'label-taken'; readonly message: string };

/** Where a world has no origin of its own, its browsers are held to what any would have. */
const ANYWHERE: SitePlace = { ownHost: 'localhost', form: 'local' };

/** Whether a browser of that name can be told from the world's sites, and from the other browsers. */
export function checkLabels(
  browser: string,
  hosts: readonly string[],
  others: readonly string[],
  place: SitePlace | null = null,
): BrowserLabels {
  const at = place ?? ANYWHERE;
  const labels = (name: string): readonly string[] =>
    hosts.map(host => copyLabel({ browser: name, host })).filter(label => isHostName(`${label}${endOf(at)}`));
  const own = labels(browser);
  if (hosts.length > 0 && own.length === 0)
    return {
      ok: false,
      why: 'no-site-fits',
      message: `No site of this world has an address under that name: with ${shortest(browser, hosts, at)} none fits into the ${HOST_LABEL_CHARS_MAX} characters of a host’s label; use a shorter name.`,
    };
  const taken = new Set(hosts.map(siteLabel));
  for (const other of others) if (other !== browser) for (const label of labels(other)) taken.add(label);
  const collides = own.find(label => taken.has(label));
  if (collides !== undefined)
    return {
      ok: false,
      why: 'label-taken',
      message: `The address ${collides} is another site’s already; use another name.`,
    };
  return { ok: true };
}

/** The label that comes closest, to show. */
function shortest(browser: string, hosts: readonly string[], place: SitePlace): string {
  const labels = hosts.map(
    host => `${copyLabel({ browser, host })}${endOf(place)}`.replace(/^\./, '').split('.', 1)[0]!,
  );
  return labels.reduce((least, label) => (label.length < least.length ? label : least));
}
