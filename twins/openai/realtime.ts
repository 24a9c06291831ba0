// The realtime WebSocket, as plain values: events of the client in, events of the server out. A session lives as
// long as its socket; each event that changes its conversation is one entry of the log.
import type { Call } from '../kit/call.ts';
import { defaultAnswer, featuresOf, logSummary, utteranceOf } from '../kit/conversation.ts';
import type { Handling } from '../kit/generative.ts';
import {
  arrayField,
  field,
  isJsonObject,
  type JsonObject,
  numberField,
  objectField,
  readJson,
  textField,
} from '../kit/json.ts';
import type { ModelOperation } from '../kit/model-api.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Reply } from '../kit/reply.ts';
import type { SocketAct, SocketDeed, SocketMessage, TwinSocket, UpgradeAnswer } from '../kit/socket.ts';
import type { Reader, Tx } from '../kit/tx.ts';
import { checkAmount } from './amounts.ts';
import { openaiError } from './errors.ts';
import { hasUnheardAudio, wrongItem, wrongModalities } from './realtime-check.ts';
import { eventText, type RealtimeResponse, realtimeResponse } from './realtime-response.ts';
import { newSession, realtimeConversation } from './realtime-session.ts';

const KEY_PROTOCOL = 'openai-insecure-api-key.';
const PROTOCOL = 'realtime';
const ITEM = 'realtime_item';
const ITEMS_MAX = 1_000;
const SECRET_SECONDS = 600;
const SECRET_SECONDS_MIN = 10;
const SECRET_SECONDS_MAX = 7_200;

function refused(status: number, code: string, message: string): Reply {
  return openaiError(new Refusal(status, code, message), null);
}

export function openRealtime(call: Call, tx: Tx, handling: Handling | undefined): UpgradeAnswer {
  const offered = protocolsOf(call);
  const keyed =
    call.letIn === true ||
    call.headers['authorization'] !== undefined ||
    offered.some(protocol => protocol.startsWith(KEY_PROTOCOL));
  if (!keyed) return refused(401, 'invalid_api_key', 'Missing bearer or basic authentication in header');
  const model = new URLSearchParams(call.query).get('model');
  if (model === null || model === '') {
    return refused(400, 'missing_model', 'You must provide a model parameter.');
  }
  return new RealtimeSocket(call, handling, { session: newSession(model, {}, tx) });
}

/** Its items are records already, but for their order. */
export function resumeRealtime(
  call: Call,
  kept: JsonObject,
  state: Reader,
  handling: Handling | undefined,
): TwinSocket {
  const session = objectField(kept, 'session') ?? {};
  const items = arrayField(kept, 'items').flatMap(id => {
    const { $session, $truncated, ...item } = state.get(ITEM, `${session['id']}/${id}`) ?? {};
    return $session === undefined ? [] : [item as JsonObject];
  });
  const said = objectField(kept, 'said') as Said | null;
  return new RealtimeSocket(call, handling, { session, items, said, audioCame: kept['audioCame'] === true });
}

function protocolsOf({ headers }: Call): readonly string[] {
  return [headers['sec-websocket-protocol'] ?? []]
    .flat()
    .flatMap(value => value.split(','))
    .map(protocol => protocol.trim());
}

type Said = Pick<RealtimeResponse, 'id' | 'cancelled'>;

type Talk = {
  readonly session: JsonObject;
  readonly items?: readonly JsonObject[];
  readonly said?: Said | null;
  readonly audioCame?: boolean;
};

class RealtimeSocket implements TwinSocket {
  readonly protocol: string | null;
  readonly #call: Call;
  readonly #handling: Handling | undefined;
  #session: JsonObject;
  #items: JsonObject[];
  /** The latest response; whether all of it was sent the host knows. */
  #said: Said | null;
  /** Audio came, and was told to be unheard. */
  #audioCame: boolean;

  constructor(
    call: Call,
    handling: Handling | undefined,
    { session, items = [], said = null, audioCame = false }: Talk,
  ) {
    this.protocol = protocolsOf(call).includes(PROTOCOL) ? PROTOCOL : null;
    this.#call = call;
    this.#handling = handling;
    this.#session = session;
    this.#items = [...items];
    this.#said = said;
    this.#audioCame = audioCame;
  }

  kept(): JsonObject {
    return {
      session: this.#session,
      items: this.#items.map(({ id }) => id ?? null),
      said: this.#said,
      audioCame: this.#audioCame,
    };
  }

  open(tx: Tx): readonly SocketAct[] {
    return [say('session.created', { session: this.#session }, tx)];
  }

  message(data: SocketMessage, tx: Tx): readonly SocketAct[] {
    const event = readJson(data);
    if (!isJsonObject(event))
      return [fault(tx, null, 'We could not parse the JSON of your event.', 'invalid_json')];
    const type = textField(event, 'type');
    const known = type !== null && Object.hasOwn(this.#events, type) ? this.#events[type] : undefined;
    if (known !== undefined) return known(event, tx);
    const names = Object.keys(this.#events)
      .map(name => `'${name}'`)
      .join(', ');
    const message = `Invalid value: '${type ?? ''}'. Supported values are: ${names}.`;
    return [fault(tx, event, message, 'invalid_value', 'type')];
  }

  readonly #events: { readonly [type: string]: (event: JsonObject, tx: Tx) => readonly SocketAct[] } = {
    'session.update': (event, tx) => {
      const given = objectField(event, 'session');
      if (given === null)
        return [
          fault(tx, event, "Missing required parameter: 'session'.", 'missing_required_parameter', 'session'),
        ];
      const wrong = wrongModalities(given);
      if (wrong !== null) return [fault(tx, event, wrong, 'invalid_value', 'session.output_modalities')];
      const { id, object, model, expires_at } = this.#session;
      this.#session = { ...this.#session, ...given, id, object, model, expires_at } as JsonObject;
      return [say('session.updated', { session: this.#session }, tx)];
    },
    'conversation.item.create': (event, tx) => this.#addItem(event, tx),
    'conversation.item.retrieve': (event, tx) =>
      this.#withItem(event, tx, item => [say('conversation.item.retrieved', { item }, tx)]),
    'conversation.item.delete': (event, tx) =>
      this.#withItem(event, tx, item => {
        this.#items = this.#items.filter(each => each !== item);
        tx.delete(ITEM, this.#keyOf(item));
        tx.kind('conversation.item.deleted');
        return [say('conversation.item.deleted', { item_id: item['id'] }, tx)];
      }),
    'conversation.item.truncate': (event, tx) =>
      this.#withItem(event, tx, item => {
        const { content_index, audio_end_ms } = event;
        const $truncated = { content_index: content_index ?? null, audio_end_ms: audio_end_ms ?? null };
        this.#keep({ ...item, $truncated }, tx);
        tx.kind('conversation.item.truncated');
        return [say('conversation.item.truncated', { item_id: item['id'], content_index, audio_end_ms }, tx)];
      }),
    // Told once: audio comes in hundreds of pieces.
    'input_audio_buffer.append': (event, tx) => {
      if (this.#audioCame) return [];
      this.#audioCame = true;
      return [unheard(event, tx)];
    },
    'input_audio_buffer.clear': (_event, tx) => {
      this.#audioCame = false;
      return [say('input_audio_buffer.cleared', {}, tx)];
    },
    'input_audio_buffer.commit': (event, tx) => {
      if (this.#audioCame) return [unheard(event, tx)];
      const message = 'Error committing input audio buffer: buffer too small.';
      return [fault(tx, event, message, 'input_audio_buffer_commit_empty')];
    },
    'output_audio_buffer.clear': (_event, tx) => [say('output_audio_buffer.cleared', {}, tx)],
    'response.create': (event, tx) => {
      const asked = objectField(event, 'response') ?? {};
      const wrong = wrongModalities(asked);
      return wrong === null
        ? this.#respond(asked, tx)
        : [fault(tx, event, wrong, 'invalid_value', 'response.output_modalities')];
    },
    'response.cancel': (event, tx) => {
      const message = 'Cancellation failed: no active response found';
      const none = [fault(tx, event, message, 'response_cancel_not_active')];
      const asked = textField(event, 'response_id') ?? this.#said?.id;
      if (this.#said === null || asked !== this.#said.id) return none;
      const instead = [say('response.done', { response: this.#said.cancelled }, tx)];
      return [{ interrupt: this.#said.id, instead, otherwise: none }];
    },
  };

  #addItem(event: JsonObject, tx: Tx): readonly SocketAct[] {
    const given = objectField(event, 'item');
    if (given === null)
      return [fault(tx, event, "Missing required parameter: 'item'.", 'missing_required_parameter', 'item')];
    if (this.#items.length === ITEMS_MAX)
      return [fault(tx, event, `A session holds ${ITEMS_MAX} items.`, 'too_many_items')];
    const wrong = wrongItem(given);
    if (wrong !== null) return [fault(tx, event, wrong.message, 'invalid_value', wrong.param)];
    if (hasUnheardAudio(given)) return [unheard(event, tx)];
    const item: JsonObject = {
      id: tx.id('item_', 21),
      object: 'realtime.item',
      status: 'completed',
      ...given,
    };
    if (this.#items.some(({ id }) => id === item['id']))
      return [fault(tx, event, `Item with ID '${item['id']}' already exists.`, 'item_exists', 'item.id')];
    const after = textField(event, 'previous_item_id');
    const at =
      after === 'root'
        ? 0
        : after === null
          ? this.#items.length
          : this.#items.findIndex(({ id }) => id === after) + 1;
    if (after !== null && after !== 'root' && at === 0) return [this.#noItem(event, after, tx)];
    this.#items.splice(at, 0, item);
    this.#keep(item, tx);
    tx.kind('conversation.item.added');
    const told = { previous_item_id: this.#items[at - 1]?.['id'] ?? null, item };
    return [say('conversation.item.added', told, tx), say('conversation.item.done', told, tx)];
  }

  #withItem(
    event: JsonObject,
    tx: Tx,
    act: (item: JsonObject) => readonly SocketAct[],
  ): readonly SocketAct[] {
    const id = textField(event, 'item_id') ?? '';
    const item = this.#items.find(each => each['id'] === id);
    return item === undefined ? [this.#noItem(event, id, tx)] : act(item);
  }

  #noItem(event: JsonObject, id: string, tx: Tx): SocketDeed {
    return fault(tx, event, `Item with item_id '${id}' does not exist.`, 'item_not_found', 'item_id');
  }

  #respond(asked: JsonObject, tx: Tx): readonly SocketAct[] {
    const conversation = realtimeConversation(this.#session, this.#items, asked);
    const heard = this.#handling?.hear(this.#call, featuresOf(conversation), tx) ?? null;
    const spoken = heard ?? defaultAnswer(conversation);
    const utterance = utteranceOf(conversation, spoken, () => tx.id('call_', 16));
    const modalities = arrayField({ ...this.#session, ...asked }, 'output_modalities');
    const kept = field(asked, 'conversation') !== 'none';
    const { acts, items, id, cancelled } = realtimeResponse(
      {
        utterance,
        pace: spoken.pace,
        ending: spoken.ending,
        audio: modalities.includes('audio'),
        kept,
        metadata: objectField(asked, 'metadata'),
      },
      tx,
    );
    this.#said = { id, cancelled };
    if (kept) this.#items = [...this.#items, ...items].slice(-ITEMS_MAX);
    if (kept) for (const item of items) this.#keep(item, tx);
    const logged = tx.id('rtresp_', 21);
    const created = Math.floor(tx.now / 1000);
    tx.put('completion', logged, {
      id: logged,
      object: 'completion',
      created,
      ...logSummary(conversation, utterance),
    });
    tx.kind('response.done');
    return acts;
  }

  #keep(item: JsonObject, tx: Tx): void {
    tx.put(ITEM, this.#keyOf(item), { ...item, $session: this.#session['id'] ?? null });
  }

  /** A client may name its items, and another session's client the same. */
  #keyOf({ id }: JsonObject): string {
    return `${this.#session['id']}/${id}`;
  }
}

function say(type: string, fields: object, tx: Tx): SocketDeed {
  return { send: eventText(type, fields, tx) };
}

function fault(
  tx: Tx,
  event: JsonObject | null,
  message: string,
  code: string,
  param: string | null = null,
): SocketDeed {
  const error = {
    type: 'invalid_request_error',
    code,
    message,
    param,
    event_id: textField(event, 'event_id'),
  };
  return say('error', { error }, tx);
}

function unheard(event: JsonObject, tx: Tx): SocketDeed {
  const message = 'This twin hears no audio: say it as text (input_text), or send its transcript with it.';
  return fault(tx, event, message, 'unsupported_audio');
}

/** A key for a browser, which may not hold the real one. */
export const REALTIME: readonly ModelOperation[] = [
  {
    method: 'POST',
    path: '/v1/realtime/client_secrets',
    name: 'realtime.clientSecrets.create',
    run: ({ body, tx, now }) => {
      const given = objectField(body, 'session') ?? {};
      const session = newSession(textField(given, 'model') ?? 'gpt-realtime', given, tx);
      const lifetime = objectField(body, 'expires_after') ?? {};
      checkAmount(lifetime, 'seconds', { min: SECRET_SECONDS_MIN, max: SECRET_SECONDS_MAX, whole: true });
      const expires_at = now + (numberField(lifetime, 'seconds') ?? SECRET_SECONDS);
      return { json: { value: `ek_${tx.hex(16)}`, expires_at, session } };
    },
  },
];
