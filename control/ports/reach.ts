// Where a world's real vendors are, as the host's policy has to know it (2.8, 4.7).

export type ReachedVendor = {
  /** The root of the twin of that name, or the link of that name. */
  readonly by: 'root' | 'link';
  readonly name: string;
  /** `https://api.stripe.com` */
  readonly origin: string;
};

export type Reach = {
  /** Whether a root may be at a literal loopback address: on a developer's own machine, not where others have worlds too. */
  readonly ownMachine: boolean;
  /** All of them, each time. Resolves when the policy in force has them, and no others. Never rejects. */
  set(vendors: readonly ReachedVendor[]): Promise<void>;
};
