// The models that are listed. Any other name is answered too: a world need not know every model of every month.
import type { ModelOperation } from '../kit/model-api.ts';
import { Refusal } from '../kit/refusal.ts';

/** Id and seconds since 1970. */
const MODELS: readonly (readonly [id: string, created: number])[] = [
  ['gpt-5', 1754425777],
  ['gpt-5-mini', 1754425928],
  ['gpt-5-nano', 1754426384],
  ['gpt-4.1', 1744316542],
  ['gpt-4.1-mini', 1744318173],
  ['gpt-4.1-nano', 1744321025],
  ['gpt-4o', 1715367049],
  ['gpt-4o-mini', 1721172741],
  ['o3', 1744225308],
  ['o4-mini', 1744225351],
  ['gpt-realtime', 1756271701],
  ['gpt-image-1', 1745517030],
  ['dall-e-3', 1698785189],
  ['dall-e-2', 1698798177],
  ['gpt-4o-mini-tts', 1742403959],
  ['tts-1', 1681940951],
  ['gpt-4o-transcribe', 1742068463],
  ['whisper-1', 1677532384],
  ['gpt-3.5-turbo-instruct', 1692901427],
  ['text-embedding-3-small', 1705948997],
  ['text-embedding-3-large', 1705953180],
  ['text-embedding-ada-002', 1671217299],
  ['omni-moderation-latest', 1731689265],
];

/** The most tokens of an answer, by what a model's name begins with; the first that fits. */
const ANSWER_TOKENS_MAX: readonly (readonly [family: string, tokens: number])[] = [
  ['gpt-5', 128_000],
  ['o3', 100_000],
  ['o4', 100_000],
  ['o1', 100_000],
  ['gpt-4.1', 32_768],
  ['gpt-4o', 16_384],
  ['gpt-4-turbo', 4_096],
  ['gpt-4', 8_192],
  ['gpt-3.5-turbo', 4_096],
];

/** Null for a model that nothing is known of. */
export function answerTokensMax(model: string): number | null {
  return ANSWER_TOKENS_MAX.find(([family]) => model.startsWith(family))?.[1] ?? null;
}

/** Thinks before it answers, and takes neither `max_tokens` nor a temperature. */
export function isReasoning(model: string): boolean {
  return /^o\d/.test(model) || /^gpt-5(?:-mini|-nano)?(?:-\d{4}-|$)/.test(model);
}

const modelOf = ([id, created]: readonly [string, number]): object => ({
  id,
  object: 'model',
  created,
  owned_by: 'system',
});

const unknownModel = (model: string | undefined): Refusal =>
  new Refusal(
    404,
    'model_not_found',
    `The model '${model}' does not exist or you do not have access to it.`,
    {
      param: 'model',
    },
  );

/** Of those that came of fine-tuning, the newest. */
const OWN_MODELS_MAX = 100;

export const MODEL_OPERATIONS: readonly ModelOperation[] = [
  {
    method: 'GET',
    path: '/v1/models',
    name: 'models.list',
    run: ({ tx }) => {
      const { items } = tx.list('model', { limit: OWN_MODELS_MAX });
      return { json: { object: 'list', data: [...MODELS.map(modelOf), ...items] } };
    },
  },
  {
    method: 'GET',
    path: '/v1/models/{model}',
    name: 'models.retrieve',
    run: ({ path, tx }) => {
      const found = MODELS.find(([id]) => id === path['model']);
      const own = found === undefined ? tx.get('model', path['model'] ?? '') : modelOf(found);
      if (own === undefined) throw unknownModel(path['model']);
      return { json: own };
    },
  },
  {
    method: 'DELETE',
    path: '/v1/models/{model}',
    name: 'models.delete',
    run: ({ path, tx }) => {
      const id = path['model'] ?? '';
      if (MODELS.some(each => each[0] === id))
        throw new Refusal(403, '', 'You have insufficient permissions for this operation.');
      if (tx.get('model', id) === undefined) throw unknownModel(id);
      tx.delete('model', id);
      return { json: { id, object: 'model', deleted: true } };
    },
  },
];
