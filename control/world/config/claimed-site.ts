// The sites of a world (4.3): the real hosts at which its twins serve pages, as their manifests say.
import type { Manifest } from '../../../twins/kit/manifest.ts';

export type ClaimedSite = {
  readonly vendor: string;
  /** The real host; of a twin whose pages stand at none (an inbox), the twin's own name. */
  readonly host: string;
  /** Whether `host` is the vendor's. */
  readonly real: boolean;
  /** The first page that is no object's; null where every page is of something. */
  readonly land: string | null;
};

/** In the order in which the manifests claim them: of two that would be one label, the first is the site. */
export function claimedSites(
  manifests: readonly Pick<Manifest, 'vendor' | 'hosts' | 'screens'>[],
): readonly ClaimedSite[] {
  const sites = new Map<string, ClaimedSite>();
  for (const { vendor, hosts, screens } of manifests) {
    for (const { host, path } of screens) {
      const own = hosts.length === 0 ? [vendor] : hosts.map(each => each.host);
      for (const name of host === undefined ? own : [host]) {
        const before = sites.get(name);
        const land = before?.land ?? (/[{<]/.test(path) ? null : path);
        const real = host !== undefined || hosts.length > 0;
        sites.set(name, before === undefined ? { vendor, host: name, real, land } : { ...before, land });
      }
    }
  }
  return [...sites.values()];
}

/** Whose a path of a site is: several vendors may share a host. Null for a path that none of them serves. */
export function vendorAt(
  manifests: readonly Pick<Manifest, 'vendor' | 'hosts'>[],
  site: ClaimedSite,
  path: string,
): string | null {
  if (!site.real) return site.vendor;
  let longest: { readonly vendor: string; readonly prefix: string } | null = null;
  for (const { vendor, hosts } of manifests)
    for (const { host, paths } of hosts)
      for (const prefix of host === site.host ? paths : [])
        if (`${path}/`.startsWith(prefix) && prefix.length > (longest?.prefix.length ?? 0))
          longest = { vendor, prefix };
  return longest?.vendor ?? null;
}
