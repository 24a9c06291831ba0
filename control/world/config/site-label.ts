// The host names under which a browser opens a twin's sites (4.3): a real host is one DNS label, with its dots as
// hyphens, and a browser's copy of it is `<browser>--<site>`.
import { HOST_LABEL_CHARS_MAX } from '../limits.ts';

export function siteLabel(host: string): string {
  return host.toLowerCase().replaceAll('.', '-');
}

/** Null for a label that no DNS name may have; such a site is skipped. */
export function browserLabel(browser: string, host: string): string | null {
  const label = `${browser}--${siteLabel(host)}`;
  return label.length > HOST_LABEL_CHARS_MAX ? null : label;
}

export type BrowserLabels =
  | { readonly ok: true }
  | { readonly ok: false; readonly why: 'no-site-fits' | 'label-taken'; readonly message: string };

/** Whether a browser of that name can be told from the world's sites, and from the other browsers. */
export function checkLabels(
  browser: string,
  hosts: readonly string[],
  others: readonly string[],
): BrowserLabels {
  const taken = new Set(hosts.map(siteLabel));
  for (const other of others) {
    if (other === browser) continue;
    for (const host of hosts) taken.add(browserLabel(other, host) ?? '');
  }
  const own = hosts.map(host => browserLabel(browser, host)).filter(label => label !== null);
  if (hosts.length > 0 && own.length === 0)
    return {
      ok: false,
      why: 'no-site-fits',
      message: `No site of this world has an address of at most ${HOST_LABEL_CHARS_MAX} characters under that name; use a shorter one.`,
    };
  const collides = own.find(label => taken.has(label));
  if (collides !== undefined)
    return {
      ok: false,
      why: 'label-taken',
      message: `The address ${collides} is another site’s already; use another name.`,
    };
  return { ok: true };
}
