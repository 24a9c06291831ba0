// The events of a streamed response, each with its place in the sequence.
import type { Pace, StreamEnding } from '../kit/generative.ts';
import { arrayField, field, type JsonObject, textField } from '../kit/json.ts';
import { argumentPiecesOf, type Frame, piecesOf, streamOf } from '../kit/stream.ts';
import { type Tell, tellHosted } from './hosted-events.ts';
import { partialsOf } from './hosted-tools.ts';
import { logprobsOf } from './logprobs.ts';

export type StreamedResponse = {
  readonly opened: JsonObject;
  readonly closed: JsonObject;
  readonly pace: Pace;
  readonly ending: StreamEnding | null;
  /** The number of the last event that the client has had already. */
  readonly after?: number;
};

export function responseStream({
  opened,
  closed,
  pace,
  ending,
  after = -1,
}: StreamedResponse): AsyncIterable<Uint8Array> {
  const frames: Frame[] = [];
  const tell = (type: string, fields: object, piece = false): void => {
    frames.push({ text: eventOf(type, fields, frames.length), piece });
  };
  const partials = partialsOf(opened);
  tell('response.created', { response: opened });
  tell('response.in_progress', { response: opened });
  for (const [at, item] of arrayField(closed, 'output').entries())
    tellItem(tell, at, item as JsonObject, { pace, partials });
  tell(`response.${String(closed['status'])}`, { response: closed });
  // A failure comes after some number of events; where it comes, it says a number that is later than theirs.
  const failure = (error: Exclude<StreamEnding, string>): string => {
    const told = { code: error.code ?? error.type, message: error.message };
    const failed = { ...opened, status: 'failed', error: told };
    return (
      eventOf('error', { ...told, param: null }, frames.length) +
      eventOf('response.failed', { response: failed }, frames.length + 1)
    );
  };
  return streamOf(frames.slice(after + 1), pace, ending, failure);
}

function eventOf(type: string, fields: object, sequence: number): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...fields })}\n\n`;
}

type Shown = { readonly pace: Pace; readonly partials: number };

function tellItem(tell: Tell, output_index: number, item: JsonObject, { pace, partials }: Shown): void {
  const item_id = textField(item, 'id');
  const at = { item_id, output_index };
  switch (textField(item, 'type')) {
    case 'reasoning': {
      tell('response.output_item.added', { output_index, item: { ...item, summary: [] } });
      for (const [summary_index, part] of arrayField(item, 'summary').entries()) {
        const text = textField(part, 'text') ?? '';
        const inside = { ...at, summary_index };
        tell('response.reasoning_summary_part.added', {
          ...inside,
          part: { type: 'summary_text', text: '' },
        });
        for (const delta of piecesOf(text, { ...pace, chunks: null })) {
          tell('response.reasoning_summary_text.delta', { ...inside, delta }, true);
        }
        tell('response.reasoning_summary_text.done', { ...inside, text });
        tell('response.reasoning_summary_part.done', { ...inside, part });
      }
      break;
    }
    case 'message': {
      tell('response.output_item.added', {
        output_index,
        item: { ...item, status: 'in_progress', content: [] },
      });
      for (const [content_index, part] of arrayField(item, 'content').entries()) {
        tellPart(tell, { ...at, content_index }, part as JsonObject, pace);
      }
      break;
    }
    case 'custom_tool_call': {
      const input = textField(item, 'input') ?? '';
      tell('response.output_item.added', {
        output_index,
        item: { ...item, status: 'in_progress', input: '' },
      });
      for (const delta of argumentPiecesOf(input, pace))
        tell('response.custom_tool_call_input.delta', { ...at, delta }, true);
      tell('response.custom_tool_call_input.done', { ...at, input });
      break;
    }
    default: {
      if (tellHosted({ tell, item, at, pace, partials })) break;
      const whole = textField(item, 'arguments') ?? '';
      tell('response.output_item.added', {
        output_index,
        item: { ...item, status: 'in_progress', arguments: '' },
      });
      for (const delta of argumentPiecesOf(whole, pace)) {
        tell('response.function_call_arguments.delta', { ...at, delta }, true);
      }
      tell('response.function_call_arguments.done', { ...at, name: field(item, 'name'), arguments: whole });
    }
  }
  tell('response.output_item.done', { output_index, item });
}

function tellPart(tell: Tell, at: object, part: JsonObject, pace: Pace): void {
  const refusal = textField(part, 'refusal');
  const [kind, empty] = refusal === null ? ['output_text', { text: '' }] : ['refusal', { refusal: '' }];
  const sure = arrayField(part, 'logprobs');
  const top = arrayField(sure[0], 'top_logprobs').length;
  const sureOf = (said: string): object =>
    refusal === null ? { logprobs: sure.length === 0 ? [] : logprobsOf(said, top) } : {};
  const text = refusal ?? textField(part, 'text') ?? '';
  const annotations = arrayField(part, 'annotations');
  const bare = refusal === null ? { ...part, annotations: [], logprobs: [] } : part;
  tell('response.content_part.added', { ...at, part: { ...bare, ...empty } });
  for (const delta of piecesOf(text, pace))
    tell(`response.${kind}.delta`, { ...at, delta, ...sureOf(delta) }, true);
  for (const [annotation_index, annotation] of annotations.entries())
    tell('response.output_text.annotation.added', { ...at, annotation_index, annotation });
  tell(`response.${kind}.done`, { ...at, ...(refusal === null ? { text } : { refusal }), ...sureOf(text) });
  tell('response.content_part.done', { ...at, part });
}
