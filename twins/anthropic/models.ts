// The models that are listed. Any other name is answered too: a world need not know every model of every month.

import type { ModelOperation } from '../kit/model-api.ts';
import { cursorsOf, limitOf, sliceById } from '../kit/paging.ts';
import { notFound } from './errors.ts';
import { PAGES, pageOf } from './list.ts';

/** Id, name, day, line, and the most tokens of an answer; newest first. */
const MODELS = [
  ['claude-opus-4-5-20251101', 'Claude Opus 4.5', '2025-11-01', 'opus', 64_000],
  ['claude-haiku-4-5-20251001', 'Claude Haiku 4.5', '2025-10-01', 'haiku', 64_000],
  ['claude-sonnet-4-5-20250929', 'Claude Sonnet 4.5', '2025-09-29', 'sonnet', 64_000],
  ['claude-opus-4-1-20250805', 'Claude Opus 4.1', '2025-08-05', 'opus', 32_000],
  ['claude-opus-4-20250514', 'Claude Opus 4', '2025-05-14', 'opus', 32_000],
  ['claude-sonnet-4-20250514', 'Claude Sonnet 4', '2025-05-14', 'sonnet', 64_000],
] as const;

/** The least tokens of a prefix that is cached, by the first that the model's name begins with (prompt caching). */
const CACHED_PREFIX_TOKENS_MIN: readonly (readonly [line: string, tokens: number])[] = [
  ['claude-opus-4-5', 4096],
  ['claude-opus-4-6', 4096],
  ['claude-haiku-4-5', 4096],
  ['claude-sonnet-4-6', 2048],
  ['claude-3-5-haiku', 2048],
  ['claude-3-haiku', 2048],
];
const CACHED_PREFIX_TOKENS_USUAL = 1024;

const ALIASES: { readonly [alias: string]: string } = {
  'claude-opus-4-5': 'claude-opus-4-5-20251101',
  'claude-haiku-4-5': 'claude-haiku-4-5-20251001',
  'claude-sonnet-4-5': 'claude-sonnet-4-5-20250929',
  'claude-opus-4-1': 'claude-opus-4-1-20250805',
};

const CONTEXT_TOKENS = 200_000;

/** Null for a model that is not in the table: nothing is known of it that a request could break. */
export function outputTokensMax(model: string): { readonly id: string; readonly tokens: number } | null {
  const id = idOf(model);
  const found = MODELS.find(each => each[0] === id);
  return found === undefined ? null : { id: found[0], tokens: found[4] };
}

export function cachedPrefixTokensMin(model: string): number {
  const found = CACHED_PREFIX_TOKENS_MIN.find(([line]) => model.startsWith(line));
  return found?.[1] ?? CACHED_PREFIX_TOKENS_USUAL;
}

/** From Opus 4.6 on an answer cannot be begun by the caller. */
export function takesPrefill(model: string): boolean {
  return (versionOf(model) ?? 0) < 4.6;
}

/** From Opus 4.1 on it is one of `temperature` and `top_p`. */
export function takesOneSampling(model: string): boolean {
  return (versionOf(model) ?? 0) >= 4.1;
}

/** Of `claude-opus-4-6` 4.6; null for a name that tells of none. */
function versionOf(model: string): number | null {
  const [, major, minor = '0'] = /^claude-[a-z]+-(\d)(?:-(\d))?(?:-|$)/.exec(model) ?? [];
  return major === undefined ? null : Number(`${major}.${minor}`);
}

function idOf(asked: string): string {
  return (Object.hasOwn(ALIASES, asked) ? ALIASES[asked] : undefined) ?? asked;
}

const modelOf = ([id, display_name, day, line, max_tokens]: (typeof MODELS)[number]): {
  readonly id: string;
} => ({
  id,
  ...{
    type: 'model',
    display_name,
    created_at: `${day}T00:00:00Z`,
    capabilities: null,
    deprecated_at: null,
    lifecycle: 'active',
    line,
    max_input_tokens: CONTEXT_TOKENS,
    max_tokens,
    retires_at: null,
  },
});

export const MODEL_OPERATIONS: readonly ModelOperation[] = [
  {
    method: 'GET',
    path: '/v1/models',
    name: 'models.list',
    run: ({ query }) => {
      const cut = { ...cursorsOf(query, PAGES), limit: limitOf(query, PAGES) };
      return { json: pageOf(sliceById(MODELS.map(modelOf), cut)) };
    },
  },
  {
    method: 'GET',
    path: '/v1/models/{model}',
    name: 'models.retrieve',
    run: ({ path }) => {
      const asked = path['model'] ?? '';
      const id = idOf(asked);
      const found = MODELS.find(model => model[0] === id);
      if (found === undefined) throw notFound(`model: ${asked}`);
      return { json: modelOf(found) };
    },
  },
];
