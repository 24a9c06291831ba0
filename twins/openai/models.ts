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
  ['text-embedding-3-small', 1705948997],
  ['text-embedding-3-large', 1705953180],
  ['text-embedding-ada-002', 1671217299],
  ['omni-moderation-latest', 1731689265],
];

const modelOf = ([id, created]: readonly [string, number]): object => ({
  id,
  object: 'model',
  created,
  owned_by: 'system',
});

export const MODEL_OPERATIONS: readonly ModelOperation[] = [
  {
    method: 'GET',
    path: '/v1/models',
    name: 'models.list',
    run: () => ({ json: { object: 'list', data: MODELS.map(modelOf) } }),
  },
  {
    method: 'GET',
    path: '/v1/models/{model}',
    name: 'models.retrieve',
    run: ({ path }) => {
      const found = MODELS.find(([id]) => id === path['model']);
      if (found === undefined) {
        throw new Refusal(
          404,
          'model_not_found',
          `The model '${path['model']}' does not exist or you do not have access to it.`,
          { param: 'model' },
        );
      }
      return { json: modelOf(found) };
    },
  },
];
