// What the variables and hooks of a run that is not contained do not reach, by the program that it is (7.1): told when it has
// ended, since nobody can know whether it happened. docs/clients.md has what was tried.
import { basename } from 'node:path';

const BY_PROGRAM: readonly (readonly [names: RegExp, what: string])[] = [
  [/^(?:node|npm|npx|pnpm|yarn|tsx|deno)$/, 'native addons that dial by themselves'],
  [
    /^python[\d.]*$|^(?:pytest|uv|poetry|pip[\d.]*)$/,
    'libraries in C that dial by themselves (pycurl, grpcio), and UDP',
  ],
  [/^(?:ruby|bundle|rake|rails|rspec)$/, 'extensions in C that dial by themselves (curb, pg), and UDP'],
  [
    /^(?:php[\d.]*|composer|phpunit)$/,
    'streams with a context of their own, sockets, and extensions that dial by themselves',
  ],
  [/^(?:java|mvn|gradle|gradlew|sbt|kotlin|scala)$/, 'clients that are told to use no proxy, and sockets'],
];
const ANY =
  'clients that are told to use no proxy or read no variables (Go’s own transports, static programs), and sockets';

/** A line of a run's end. */
export function notReached(program: string): string {
  const name = basename(program);
  const what = BY_PROGRAM.find(([names]) => names.test(name))?.[1] ?? ANY;
  return `this run was not contained: of ${name}, its variables and hooks do not reach ${what}; what these dialled is not known`;
}
