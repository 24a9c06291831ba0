// Waiting until a service is healthy, for those that depend on it. It is asked more often than its health check says, so that
// nobody waits for what is there, and given up no sooner.
import { setTimeout as after } from 'node:timers/promises';
import type { HealthCheck } from '../images/health-check.ts';
import type { Sandbox } from '../images/native/sandbox.ts';
import { HEALTH_CHECK_MS } from './limits.ts';

/** False where it has failed as often, and for as long, as its health check allows; or when `signal` says that it is over. */
export async function untilHealthy(
  sandbox: Pick<Sandbox, 'check' | 'started'>,
  { command, interval, timeout, startPeriod, retries }: HealthCheck,
  signal: AbortSignal,
): Promise<boolean> {
  // On a busy machine a sandbox is made for longer than a service may take: its time is its program's.
  await sandbox.started;
  const giveUp = performance.now() + startPeriod + interval * retries;
  for (let failures = 0; !signal.aborted; ) {
    if (await sandbox.check(command.words, timeout)) return true;
    failures += 1;
    if (failures >= retries && performance.now() >= giveUp) return false;
    await after(Math.min(interval, HEALTH_CHECK_MS), null, { signal }).catch(() => {});
  }
  return false;
}
