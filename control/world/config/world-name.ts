// `<org>/<world>`: the name of a world, and two path segments and one DNS label of every address it has.
import { WORLD_NAME_CHARS_MAX } from '../limits.ts';

type WorldName = { readonly org: string; readonly world: string; readonly text: string };

export type WorldNameResult =
  | ({ readonly ok: true } & WorldName)
  | { readonly ok: false; readonly why: string };

const PART = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const ACCEPTED =
  'a world is named <org>/<world>, each part lower-case letters, digits and single hyphens (acme/shop)';

/** First segments of paths at a host of many worlds, and what is in the place of a name there. */
const RESERVED: readonly string[] = ['worlds', 'vendors', 'console', 'ping', 'reference'];

export function parseWorldName(text: string): WorldNameResult {
  const parts = text.split('/');
  const [org, world] = parts;
  if (parts.length !== 2 || !PART.test(org!) || !PART.test(world!)) {
    return { ok: false, why: `not a world's name: ${ACCEPTED}` };
  }
  // The slash does not count: it is not part of the label.
  if (text.length - 1 > WORLD_NAME_CHARS_MAX) {
    return { ok: false, why: `longer than ${WORLD_NAME_CHARS_MAX} characters: ${ACCEPTED}` };
  }
  const reserved = parts.find(part => RESERVED.includes(part));
  if (reserved !== undefined)
    return {
      ok: false,
      why: `not a world's name: hosts of worlds need “${reserved}” for themselves (${RESERVED.join(', ')}); take another`,
    };
  return { ok: true, org: org!, world: world!, text };
}
