// One response of a realtime session, as the events that tell it. Said in text, or as silence with a transcript:
// a twin has no voice.
import type { Utterance } from '../kit/conversation.ts';
import type { Pace, StreamEnding } from '../kit/generative.ts';
import type { JsonObject } from '../kit/json.ts';
import type { SocketAct } from '../kit/socket.ts';
import { argumentPiecesOf, piecesOf } from '../kit/stream.ts';
import type { Tx } from '../kit/tx.ts';

/** A tenth of a second of 24 kHz PCM with 16 bits. */
const SILENCE = btoa('\0'.repeat(4_800));
const CLOSE_CODE = 1011;

export type RealtimeAnswer = {
  readonly utterance: Utterance;
  readonly pace: Pace;
  readonly ending: StreamEnding | null;
  readonly audio: boolean;
  /** Whether its items become part of the session's conversation. */
  readonly kept: boolean;
  readonly metadata: JsonObject | null;
};

type Act = { readonly act: SocketAct; readonly piece: boolean };

export type RealtimeResponse = {
  /** `part` of its acts. */
  readonly id: string;
  /** In their order. */
  readonly acts: readonly SocketAct[];
  /** What was said. */
  readonly items: readonly JsonObject[];
  /** As it is when its client cancels it. */
  readonly cancelled: JsonObject;
};

export function realtimeResponse(answer: RealtimeAnswer, tx: Tx): RealtimeResponse {
  const { utterance, pace, ending, kept } = answer;
  const id = tx.id('resp_', 21);
  const told: Act[] = [];
  const event = (type: string, fields: object, piece = false): void => {
    told.push({ act: { send: eventText(type, fields, tx), part: id }, piece });
  };
  const response = (
    status: string,
    output: readonly JsonObject[],
    details: JsonObject | null,
  ): JsonObject => ({
    object: 'realtime.response',
    id,
    status,
    status_details: details,
    output,
    conversation_id: kept ? 'conv_session' : null,
    output_modalities: [answer.audio ? 'audio' : 'text'],
    max_output_tokens: 'inf',
    usage: status === 'in_progress' ? null : usageOf(utterance),
    metadata: answer.metadata,
  });
  event('response.created', { response: response('in_progress', [], null) });
  const items = itemsOf(utterance, answer.audio, tx);
  for (const [output_index, item] of items.entries()) {
    const at = { response_id: id, item_id: item['id'], output_index };
    const opened = {
      ...item,
      status: 'in_progress',
      ...('content' in item ? { content: [] } : { arguments: '' }),
    };
    event('response.output_item.added', { response_id: id, output_index, item: opened });
    if (kept)
      event('conversation.item.added', {
        previous_item_id: items[output_index - 1]?.['id'] ?? null,
        item: opened,
      });
    if ('content' in item) tellMessage(event, at, answer);
    else tellCall(event, at, item, pace);
    event('response.output_item.done', { response_id: id, output_index, item });
    if (kept)
      event('conversation.item.done', { previous_item_id: items[output_index - 1]?.['id'] ?? null, item });
  }
  const cut = utterance.finish === 'length' || utterance.finish === 'max_tokens';
  const details: JsonObject | null = cut ? { type: 'incomplete', reason: 'max_output_tokens' } : null;
  event('response.done', { response: response(cut ? 'incomplete' : 'completed', items, details) });
  event('rate_limits.updated', {
    rate_limits: [{ name: 'requests', limit: 10_000, remaining: 9_999, reset_seconds: 0.006 }],
  });
  const failed = (error: Exclude<StreamEnding, string>): SocketAct => {
    const told = { type: error.type, code: error.code ?? null, message: error.message };
    return {
      send: eventText(
        'response.done',
        { response: response('failed', [], { type: 'failed', error: told }) },
        tx,
      ),
      part: id,
    };
  };
  const why = { type: 'cancelled', reason: 'client_cancelled' };
  return {
    id,
    acts: paced(told, pace, ending, failed),
    items,
    cancelled: response('cancelled', [], why),
  };
}

export function eventText(type: string, fields: object, tx: Tx): string {
  return JSON.stringify({ type, event_id: tx.id('event_', 21), ...fields });
}

function itemsOf({ text, toolCalls }: Utterance, audio: boolean, tx: Tx): readonly JsonObject[] {
  const said: JsonObject = audio ? { type: 'output_audio', transcript: text } : { type: 'output_text', text };
  return [
    ...(text === null
      ? []
      : [
          {
            id: tx.id('item_', 21),
            object: 'realtime.item',
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [said],
          },
        ]),
    ...toolCalls.map(call => ({
      id: tx.id('item_', 21),
      object: 'realtime.item',
      type: 'function_call',
      status: 'completed',
      name: call.name,
      call_id: call.id,
      arguments: call.arguments,
    })),
  ];
}

type Tell = (type: string, fields: object, piece?: boolean) => void;

function tellMessage(event: Tell, item: object, { utterance, pace, audio }: RealtimeAnswer): void {
  const at = { ...item, content_index: 0 };
  const text = utterance.text ?? '';
  const part = (said: string): object =>
    audio ? { type: 'audio', transcript: said } : { type: 'text', text: said };
  event('response.content_part.added', { ...at, part: part('') });
  for (const delta of piecesOf(text, pace)) {
    event(
      audio ? 'response.output_audio_transcript.delta' : 'response.output_text.delta',
      { ...at, delta },
      true,
    );
    if (audio) event('response.output_audio.delta', { ...at, delta: SILENCE });
  }
  if (audio) {
    event('response.output_audio.done', at);
    event('response.output_audio_transcript.done', { ...at, transcript: text });
  } else event('response.output_text.done', { ...at, text });
  event('response.content_part.done', { ...at, part: part(text) });
}

function tellCall(event: Tell, item: object, call: JsonObject, pace: Pace): void {
  const at = { ...item, call_id: call['call_id'] };
  const whole = String(call['arguments']);
  for (const delta of argumentPiecesOf(whole, pace))
    event('response.function_call_arguments.delta', { ...at, delta }, true);
  event('response.function_call_arguments.done', { ...at, name: call['name'], arguments: whole });
}

/** As a stream is paced and goes wrong (kit/stream.ts): a cut closes the socket, a stall says no more. */
function paced(
  told: readonly Act[],
  pace: Pace,
  ending: StreamEnding | null,
  failed: (error: Exclude<StreamEnding, string>) => SocketAct,
): readonly SocketAct[] {
  const acts: SocketAct[] = [];
  const cutAt = pace.cutAfterChunks ?? Number.POSITIVE_INFINITY;
  const lastPiece = told.findLastIndex(({ piece }) => piece);
  let pieces = 0;
  for (const [index, { act, piece }] of told.entries()) {
    const closing = index > lastPiece;
    if (closing ? ending !== null || pieces >= cutAt : piece && pieces >= cutAt) {
      if (ending === 'timeout') return acts;
      if (ending === null || ending === 'reset') {
        return [...acts, { close: { code: CLOSE_CODE, reason: 'the stream was cut' } }];
      }
      return [...acts, failed(ending)];
    }
    const afterMs = !piece ? 0 : pieces === 0 ? pace.firstDelayMs : pace.chunkDelayMs;
    acts.push(afterMs === 0 ? act : { ...act, afterMs });
    if (piece) pieces += 1;
  }
  return acts;
}

function usageOf({ usage }: Utterance): JsonObject {
  return {
    total_tokens: usage.input + usage.output,
    input_tokens: usage.input,
    output_tokens: usage.output,
    input_token_details: {
      text_tokens: usage.input,
      audio_tokens: 0,
      image_tokens: 0,
      cached_tokens: usage.cached,
    },
    output_token_details: { text_tokens: usage.output, audio_tokens: 0 },
  };
}
