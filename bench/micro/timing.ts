// Times a small piece of work in this process.
const ROUND_MS = 150;
const ROUNDS = 5;

/** Median nanoseconds for one of the `count` things that `work` does; the first round, which compiles, is dropped. */
export function nanosecondsEach(count: number, work: () => void): number {
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const startedAt = performance.now();
    let done = 0;
    let elapsed = 0;
    while (elapsed < ROUND_MS) {
      work();
      done += count;
      elapsed = performance.now() - startedAt;
    }
    if (round > 0) rounds.push((elapsed * 1e6) / done);
  }
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
}
