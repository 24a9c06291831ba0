// The events of a streamed message, as Anthropic sends them: start, blocks in deltas, a ping, the end.
import type { Utterance } from '../kit/conversation.ts';
import type { Pace, StreamEnding } from '../kit/generative.ts';
import { arrayField, field, type JsonObject, textField } from '../kit/json.ts';
import { argumentPiecesOf, type Frame, piecesOf, streamOf } from '../kit/stream.ts';
import { errorBody } from './errors.ts';

export type StreamedMessage = {
  readonly message: JsonObject;
  readonly utterance: Utterance;
  readonly pace: Pace;
  readonly ending: StreamEnding | null;
  readonly requestId: string;
};

export function messageStream(streamed: StreamedMessage): AsyncIterable<Uint8Array> {
  const { message, utterance, pace, ending, requestId } = streamed;
  const frames: Frame[] = [];
  const tell = (type: string, fields: object, piece = false): void => {
    frames.push({ text: eventOf(type, { type, ...fields }), piece });
  };
  const usage = field(message, 'usage') as JsonObject;
  const begun = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  tell('message_start', { message: begun });
  const calls = [...utterance.toolCalls];
  const content = arrayField(message, 'content');
  // A handler's own pieces are of the whole text.
  const texts = content.filter(block => textField(block, 'type') === 'text').length;
  for (const [index, block] of content.entries()) {
    const delta = (fields: object, piece = true): void =>
      tell('content_block_delta', { index, delta: fields }, piece);
    const start = (fields: object): void => {
      tell('content_block_start', { index, content_block: { ...(block as JsonObject), ...fields } });
      if (index === 0) tell('ping', {});
    };
    const cited = arrayField(block, 'citations');
    switch (textField(block, 'type')) {
      case 'thinking':
        start({ thinking: '', signature: '' });
        for (const thinking of piecesOf(textField(block, 'thinking') ?? '', { ...pace, chunks: null })) {
          delta({ type: 'thinking_delta', thinking });
        }
        delta({ type: 'signature_delta', signature: textField(block, 'signature') }, false);
        break;
      case 'server_tool_use':
        start({ input: {} });
        for (const partial_json of argumentPiecesOf(JSON.stringify(field(block, 'input')), pace)) {
          delta({ type: 'input_json_delta', partial_json }, false);
        }
        break;
      case 'tool_use':
        start({ input: {} });
        delta({ type: 'input_json_delta', partial_json: '' }, false);
        for (const partial_json of argumentPiecesOf(calls.shift()?.arguments ?? '', pace)) {
          delta({ type: 'input_json_delta', partial_json });
        }
        break;
      case 'text':
        start({ text: '', ...(cited.length > 0 && { citations: [] }) });
        for (const text of piecesOf(
          textField(block, 'text') ?? '',
          texts > 1 ? { ...pace, chunks: null } : pace,
        ))
          delta({ type: 'text_delta', text });
        for (const citation of cited) delta({ type: 'citations_delta', citation }, false);
        break;
      default:
        // What came of a tool comes in one piece.
        start({});
    }
    tell('content_block_stop', { index });
  }
  const { stop_reason, stop_sequence } = message;
  tell('message_delta', {
    delta: { container: null, stop_details: null, stop_reason, stop_sequence },
    usage: {
      input_tokens: usage['input_tokens'],
      cache_creation_input_tokens: usage['cache_creation_input_tokens'],
      cache_read_input_tokens: usage['cache_read_input_tokens'],
      output_tokens: usage['output_tokens'],
      output_tokens_details: usage['output_tokens_details'],
      server_tool_use: usage['server_tool_use'],
    },
  });
  tell('message_stop', {});
  const failure = ({ type, message }: Exclude<StreamEnding, string>): string =>
    eventOf('error', errorBody(type, message, requestId));
  return streamOf(frames, pace, ending, failure);
}

function eventOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
