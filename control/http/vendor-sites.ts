// The vendors' sites of one world, as browsers find them (4.3): which there are, where each has its address, and which of
// them a request's host names.
import type { Manifest } from '../../twins/kit/manifest.ts';
import { type ClaimedSite, claimedSites, vendorAt } from '../world/config/claimed-site.ts';
import {
  addressOf,
  copyAt,
  copyLabel,
  isSiteHost,
  type SiteCopy,
  type SitePlace,
} from '../world/config/site-label.ts';
import type { World } from '../world/world.ts';
import type { Surroundings } from './surroundings.ts';

/** A copy of a site, as a request names it. */
export type SiteSeat = {
  readonly site: ClaimedSite;
  /** Null for the plain copy. */
  readonly browser: string | null;
  /** Its name in its world; a session there is of this label alone. */
  readonly label: string;
  /** `http://ada--dashboard-stripe-com.shop--acme.localhost:4000` */
  readonly origin: string;
};

export class VendorSites {
  readonly #world: Pick<World, 'vendors' | 'manifest'>;
  readonly #around: Pick<Surroundings, 'ownOrigin' | 'siteForm'>;
  #claimed: readonly ClaimedSite[] | null = null;

  constructor(
    world: Pick<World, 'vendors' | 'manifest'>,
    around: Pick<Surroundings, 'ownOrigin' | 'siteForm'>,
  ) {
    this.#world = world;
    this.#around = around;
  }

  /** Null where the world has no origin of its own: its sites have none either. */
  get place(): SitePlace | null {
    const { ownOrigin, siteForm } = this.#around;
    return ownOrigin === null ? null : { ownHost: new URL(ownOrigin).host, form: siteForm };
  }

  get claimed(): readonly ClaimedSite[] {
    return (this.#claimed ??= claimedSites(this.#manifests));
  }

  get hosts(): readonly string[] {
    return this.claimed.map(({ host }) => host);
  }

  of(host: string): ClaimedSite | undefined {
    return this.claimed.find(site => site.host === host);
  }

  /** The origin of a copy; null where no address of it can be made. */
  originOf(copy: SiteCopy): string | null {
    const { place } = this;
    const address = place === null ? null : addressOf(place, copy, this.hosts);
    return address === null ? null : `${new URL(this.#around.ownOrigin!).protocol}//${address}`;
  }

  /** `nowhere`: the host is among those of the world's sites, and no site's. Null: it is none of them. */
  seatAt(host: string): SiteSeat | 'nowhere' | null {
    const { place } = this;
    if (place === null || !isSiteHost(place, host)) return null;
    const copy = copyAt(place, host, this.hosts);
    const site = copy === null ? undefined : this.of(copy.host);
    const origin = copy === null ? null : this.originOf(copy);
    if (copy === null || site === undefined || origin === null) return 'nowhere';
    return { site, browser: copy.browser, label: copyLabel(copy), origin };
  }

  /** Null for a path of the site that no twin serves. */
  vendorAt(site: ClaimedSite, path: string): string | null {
    return vendorAt(this.#manifests, site, path);
  }

  get #manifests(): readonly Manifest[] {
    return this.#world.vendors.map(vendor => this.#world.manifest(vendor)!);
  }
}
