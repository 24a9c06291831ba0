// Waits in tests are for events, never for time; this is the limit that turns a wait that will not end
// into a failure that names what was waited for.

const WAIT_MS_MAX = 30_000;

/** `promise`, or a rejection that names `what` after `ms` milliseconds. */
export async function within<T>(what: string, promise: Promise<T>, ms: number = WAIT_MS_MAX): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`waited ${ms} ms for ${what}`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
