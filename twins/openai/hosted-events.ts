// The events of a streamed response that tell of a tool which runs at OpenAI: that it begins, how far it is, that it has ended.
import type { Pace } from '../kit/generative.ts';
import { type JsonObject, textField } from '../kit/json.ts';
import { argumentPiecesOf } from '../kit/stream.ts';

export type Tell = (type: string, fields: object, piece?: boolean) => void;

type Telling = {
  readonly tell: Tell;
  readonly item: JsonObject;
  readonly at: { readonly item_id: string | null; readonly output_index: number };
  readonly pace: Pace;
  /** Pictures that are shown before the last. */
  readonly partials: number;
};

/** False for an item of another kind. */
export function tellHosted(telling: Telling): boolean {
  const { tell, item, at } = telling;
  const type = textField(item, 'type') ?? '';
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (kind === undefined) return false;
  const { output_index } = at;
  tell('response.output_item.added', {
    output_index,
    item: { ...item, ...kind.begun, status: 'in_progress' },
  });
  tell(`response.${type}.in_progress`, at);
  kind.works(telling);
  tell(`response.${type}.completed`, at);
  return true;
}

type Kind = { readonly begun: object; readonly works: (telling: Telling) => void };

const KINDS: { readonly [type: string]: Kind } = {
  file_search_call: {
    begun: { results: null },
    works: ({ tell, at }) => tell('response.file_search_call.searching', at),
  },
  web_search_call: {
    begun: {},
    works: ({ tell, at }) => tell('response.web_search_call.searching', at),
  },
  code_interpreter_call: {
    begun: { code: '', outputs: null },
    works: ({ tell, item, at, pace }) => {
      const code = textField(item, 'code') ?? '';
      for (const delta of argumentPiecesOf(code, pace))
        tell('response.code_interpreter_call_code.delta', { ...at, delta }, true);
      tell('response.code_interpreter_call_code.done', { ...at, code });
      tell('response.code_interpreter_call.interpreting', at);
    },
  },
  image_generation_call: {
    begun: { result: null },
    works: ({ tell, item, at, partials }) => {
      const { background, output_format, quality, size, result } = item;
      tell('response.image_generation_call.generating', at);
      for (let partial_image_index = 0; partial_image_index < partials; partial_image_index += 1)
        tell('response.image_generation_call.partial_image', {
          ...at,
          partial_image_index,
          partial_image_b64: result,
          ...{ background, output_format, quality, size },
        });
    },
  },
};
