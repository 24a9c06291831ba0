/** The wall clock. Milliseconds since 1970. Signatures and session lifetimes use it, never the world's clock. */
export type WallClock = { now(): number };
