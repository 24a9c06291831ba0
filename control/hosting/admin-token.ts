// What may be the admin token of a host (4.10): long enough not to be guessed, and told from a world's by its form.
import { TOKEN_PREFIX } from '../world/access/token.ts';
import { ADOPTED_TOKEN_CHARS_MAX, ADOPTED_TOKEN_CHARS_MIN } from '../world/limits.ts';

const URL_SAFE = /^[A-Za-z0-9_-]+$/;
const OF_A_WORLD = [TOKEN_PREFIX.write, TOKEN_PREFIX.read, TOKEN_PREFIX.key];

export function isAdminToken(text: string): boolean {
  const { length } = text;
  if (length < ADOPTED_TOKEN_CHARS_MIN || length > ADOPTED_TOKEN_CHARS_MAX || !URL_SAFE.test(text))
    return false;
  return !OF_A_WORLD.some(prefix => text.startsWith(prefix!));
}
