// How long work took of this process's CPU: a busy machine lets it wait, and that is not the work's doing.

/** Milliseconds. */
export function cpuMillisecondsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
