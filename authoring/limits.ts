// Bounds of worlds in tests.

/** What a proxy answers to a CONNECT before the tunnel is there. */
export const CONNECT_HEAD_BYTES_MAX = 64 * 1024;
