// The credentials of a world's vendors (2.9, 4.6): each bound to where its vendor is now, and of no use anywhere else. A
// root or a link that is pointed elsewhere refuses what was sealed before, until it is set again.
import type { VendorCredential } from '../seals/credential.ts';
import type { Opened, RewrapResult, SealState, Seals } from '../seals/seals.ts';
import type { VendorPlaces } from './vendor-places.ts';

/** `no-vendor`: neither a root nor a link is there. `away`: whoever holds the key is. */
export type PutCredential =
  | { readonly ok: true; readonly state: SealState }
  | { readonly ok: false; readonly why: 'no-vendor' | 'away' };

export type OpenedHere =
  | { readonly ok: true; readonly credential: VendorCredential; readonly origin: string }
  | Exclude<Opened, { ok: true }>
  | { readonly ok: false; readonly why: 'no-vendor' };

export class Credentials {
  readonly #seals: Seals;
  readonly #places: VendorPlaces;

  constructor(seals: Seals, places: VendorPlaces) {
    this.#seals = seals;
    this.#places = places;
  }

  state(name: string): SealState {
    return this.#seals.state(name);
  }

  async put(name: string, credential: VendorCredential): Promise<PutCredential> {
    const origin = this.#places.originOf(name);
    if (origin === null) return { ok: false, why: 'no-vendor' };
    const kept = await this.#seals.put(name, credential, origin);
    return kept ? { ok: true, state: this.state(name) } : { ok: false, why: 'away' };
  }

  /** For the moment of a call. */
  async open(name: string): Promise<OpenedHere> {
    const origin = this.#places.originOf(name);
    if (origin === null) return { ok: false, why: 'no-vendor' };
    const opened = await this.#seals.open(name, origin);
    return opened.ok ? { ...opened, origin } : opened;
  }

  rewrap(): Promise<RewrapResult> {
    return this.#seals.rewrap();
  }

  remove(name: string): void {
    this.#seals.remove(name);
  }
}

/** What whoever would ask the vendor is told to do. */
export const credentialWords = (name: string, why: Exclude<OpenedHere, { ok: true }>['why']): string => {
  const set = `wrld world credential set ${name}`;
  switch (why) {
    case 'no-vendor':
      return `${name} has neither a root nor a link.`;
    case 'none':
      return `No credential is sealed for ${name}; set one: ${set}`;
    case 'other-origin':
      return `The credential of ${name} was sealed for another origin than it is at now; set it again: ${set}`;
    case 'away':
      return `The key that seals credentials cannot be had now, so that of ${name} does not open; the world’s log says why.`;
    case 'unreadable':
      return `The credential of ${name} does not open: it was sealed under another key, or is damaged. Set it again: ${set}`;
  }
};
