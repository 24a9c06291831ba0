// The models that are listed. Any other name is answered too: a world need not know every model of every month.

import type { ModelOperation } from '../kit/model-api.ts';
import { cursorsOf, limitOf, sliceById } from '../kit/paging.ts';
import { notFound } from './errors.ts';
import { PAGES, pageOf } from './list.ts';

/** Id, name and day, newest first. */
const MODELS = [
  ['claude-opus-4-5-20251101', 'Claude Opus 4.5', '2025-11-01', 'opus'],
  ['claude-haiku-4-5-20251001', 'Claude Haiku 4.5', '2025-10-01', 'haiku'],
  ['claude-sonnet-4-5-20250929', 'Claude Sonnet 4.5', '2025-09-29', 'sonnet'],
  ['claude-opus-4-1-20250805', 'Claude Opus 4.1', '2025-08-05', 'opus'],
  ['claude-opus-4-20250514', 'Claude Opus 4', '2025-05-14', 'opus'],
  ['claude-sonnet-4-20250514', 'Claude Sonnet 4', '2025-05-14', 'sonnet'],
] as const;

const ALIASES: { readonly [alias: string]: string } = {
  'claude-opus-4-5': 'claude-opus-4-5-20251101',
  'claude-haiku-4-5': 'claude-haiku-4-5-20251001',
  'claude-sonnet-4-5': 'claude-sonnet-4-5-20250929',
  'claude-opus-4-1': 'claude-opus-4-1-20250805',
};

const CONTEXT_TOKENS = 200_000;
const OUTPUT_TOKENS = 64_000;

const modelOf = ([id, display_name, day, line]: (typeof MODELS)[number]): { readonly id: string } => ({
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
    max_tokens: OUTPUT_TOKENS,
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
      const id = Object.hasOwn(ALIASES, asked) ? ALIASES[asked] : asked;
      const found = MODELS.find(model => model[0] === id);
      if (found === undefined) throw notFound(`model: ${asked}`);
      return { json: modelOf(found) };
    },
  },
];
