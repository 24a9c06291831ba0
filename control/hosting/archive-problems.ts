// What each host says of worlds that do not move to it or from it (archives.ts).
import type { HostProblem } from './host-worlds.ts';

export const VAULT_AWAY: HostProblem = refusal(
  503,
  'vault-away',
  'The vault that seals here does not answer now: what is sealed cannot be tried. Ask again.',
);

export function refusal(status: HostProblem['status'], code: string, message: string): HostProblem {
  return { ok: false, status, code, message };
}

export function noSuchWorld(name: string): HostProblem {
  return refusal(404, 'no-such-world', `${name.slice(0, NAME_CHARS_SHOWN)} is no world of this host.`);
}

export function isBranch(name: string): HostProblem {
  return refusal(409, 'is-branch', `${name} is a branch: it moves with the world that it left.`);
}

export function taken(name: string): HostProblem {
  return refusal(409, 'taken', `${name} is there already; remove it first, or leave it.`);
}

export function badName(name: string, why: string): HostProblem {
  return refusal(400, 'bad-name', `${JSON.stringify(name)} is ${why}.`);
}

export function nothingArriving(name: string): HostProblem {
  return refusal(
    404,
    'nothing-arriving',
    `Nothing arrives under the name ${name}, or it was given up; begin again.`,
  );
}

/** Of what a path names. */
const NAME_CHARS_SHOWN = 128;
