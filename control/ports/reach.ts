// Where a world's real vendors are, as the host's policy has to know it (2.8, 4.7).

export type ReachedVendor = {
  /** The root of the twin of that name, the link of that name, or a recording of the twin of that name. */
  readonly by: 'root' | 'link' | 'recording';
  readonly name: string;
  /** `https://api.stripe.com` */
  readonly origin: string;
  /** Of a recording: what stands before the vendor's own paths there. */
  readonly base?: string;
};

export type Reach = {
  /** Whether a root may be at a literal loopback address: on a developer's own machine, not where others have worlds too. */
  readonly ownMachine: boolean;
  /** All of them, each time. Resolves when the policy in force has them, and no others. Never rejects. */
  set(vendors: readonly ReachedVendor[]): Promise<void>;
};
