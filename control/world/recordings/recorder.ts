// A twin whose real vendor is recorded: what an app asks is sent on, under the world's grants, with the app's own credentials;
// the app has the vendor's answer as it comes, and the exchange is kept with its secrets masked.
import type { Call } from '../../../twins/kit/call.ts';
import { exactOf } from '../../../twins/kit/exact-request.ts';
import { type Reply, StreamCut } from '../../../twins/kit/reply.ts';
import { credentialsOf, maskPath } from '../../../twins/kit/secrets.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Outbound, OutboundAnswer, OutboundRefusal } from '../../ports/outbound.ts';
import { LINK_SILENCE_MS_MAX, RECORDED_ANSWER_BYTES_MAX, RECORDING_FAILURES_MAX } from '../limits.ts';
import type { Journal } from '../requests/journal.ts';
import { endToEnd, vendorFields } from '../roots/forward.ts';
import { type HeardPiece, keptReply } from './kept-reply.ts';
import type { Recording } from './recording.ts';

export type RecorderParts = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly vendor: string;
  /** The vendor's own headers that change what a request means. */
  readonly meant: readonly string[];
  /** Hosts of the twin; the first is asked where the request names none. */
  readonly hosts: readonly { readonly host: string; readonly paths: readonly string[] }[];
  /** Where another than the vendor's own hosts is asked. */
  readonly at: { readonly origin: string; readonly base: string } | null;
  readonly strict: boolean;
  /** Where it is kept, for people. */
  readonly to: string;
  readonly recording: Recording;
  /** Resolves when it is kept; null, or what went wrong. */
  readonly put: (text: string) => Promise<string | null>;
  readonly outbound: Outbound;
  readonly wall: WallClock;
  readonly requests: Journal;
};

/** Instants are ISO 8601, wall time. */
export type RecordingStanding = {
  readonly twin: string;
  readonly to: string;
  /** The URL that is asked in the place of the vendor's own hosts; null: those. */
  readonly at: string | null;
  readonly strict: boolean;
  readonly since: string;
  readonly kept: number;
  readonly unkept: number;
  /** The newest. */
  readonly why: readonly { readonly method: string; readonly path: string; readonly message: string }[];
};

export type Recorded =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly message: string; readonly record?: OutboundRefusal };

export type Declared = readonly { readonly egress?: readonly string[] }[];

export class Recorder {
  readonly #parts: RecorderParts;
  readonly #since: string;
  #kept = 0;
  #unkept = 0;
  #why: RecordingStanding['why'] = [];
  #writing: Promise<void> | null = null;
  #dirty = false;
  #ended = false;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#since = new Date(parts.wall.now()).toISOString();
  }

  get standing(): RecordingStanding {
    const { vendor, to, at, strict } = this.#parts;
    return {
      twin: vendor,
      to,
      at: at === null ? null : at.origin + at.base,
      strict,
      since: this.#since,
      kept: this.#kept,
      unkept: this.#unkept,
      why: this.#why,
    };
  }

  /** `<vendor>@<host>` and where it is, of each of its hosts. */
  get places(): readonly { readonly name: string; readonly origin: string; readonly base: string }[] {
    const { vendor, hosts, at } = this.#parts;
    return hosts.map(({ host }) => ({
      name: `${vendor}@${host}`,
      origin: at?.origin ?? `https://${host}`,
      base: at?.base ?? '',
    }));
  }

  /** Resolves at the head of the vendor's answer. `declared`: where nobody knows which of several programs asks, all of theirs. */
  async answer(call: Call, declared: Declared): Promise<Recorded> {
    const { wall, requests, vendor } = this.#parts;
    const at = wall.now();
    const from = performance.now();
    const result = await this.#send(call, declared, from);
    requests.add({
      at,
      name: vendor,
      method: call.method,
      path: call.path,
      route: undefined,
      status: result.ok ? result.reply.status : 502,
      ms: performance.now() - from,
      unmatched: false,
      caller: call.caller,
      trace: call.trace.traceId,
      span: call.trace.spanId,
      answered: null,
    });
    return result;
  }

  async #send(call: Call, declared: Declared, from: number): Promise<Recorded> {
    const { world, vendor, at, outbound } = this.#parts;
    const host = this.#hostOf(call);
    const target = call.query === '' ? call.path : `${call.path}?${call.query}`;
    const sent = await outbound.send({
      url: `${at?.origin ?? `https://${host}`}${at?.base ?? ''}${target}`,
      method: call.method,
      headers: sentOn(call),
      body: call.body.length === 0 ? null : call.body,
      timeoutMs: LINK_SILENCE_MS_MAX,
      as: { by: 'recording', world, name: `${vendor}@${host}` },
      declared,
    });
    if (!sent.ok) {
      this.#left(call, sent.why);
      return { ok: false, message: sent.why, ...(sent.record !== undefined && { record: sent.record }) };
    }
    const headers = vendorFields(sent.headers);
    const reply = { status: sent.status, headers };
    if (call.method !== 'HEAD' && sent.status !== 204 && sent.status !== 304)
      return { ok: true, reply: { ...reply, body: this.#heard(call, sent, from) } };
    sent.discard();
    this.#keep(call, { status: sent.status, headers, pieces: [], cut: false });
    return { ok: true, reply: { ...reply, body: null } };
  }

  #hostOf({ via, host, path }: Call): string {
    const { hosts } = this.#parts;
    const named = via === 'host' ? hosts.find(each => each.host === host) : undefined;
    return (
      (named ?? hosts.find(({ paths }) => paths.some(each => path.startsWith(each))) ?? hosts[0])?.host ?? ''
    );
  }

  /** The answer's bytes as they come; kept at their end. */
  async *#heard(
    call: Call,
    { status, headers, body }: OutboundAnswer,
    from: number,
  ): AsyncGenerator<Uint8Array> {
    const pieces: HeardPiece[] = [];
    let bytes = 0;
    let end: 'left' | 'whole' | 'cut' = 'left';
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        const atMs = Math.round((performance.now() - from) * 10) / 10;
        if (bytes <= RECORDED_ANSWER_BYTES_MAX) pieces.push({ atMs, bytes: chunk });
        yield chunk;
      }
      end = 'whole';
    } catch {
      end = 'cut';
    } finally {
      const fields = vendorFields(headers);
      if (end === 'left') this.#left(call, 'whoever asked left before its end');
      else if (bytes > RECORDED_ANSWER_BYTES_MAX)
        this.#left(call, `it is longer than ${RECORDED_ANSWER_BYTES_MAX} bytes`);
      else this.#keep(call, { status, headers: fields, pieces, cut: end === 'cut' });
    }
    if (end === 'cut') throw new StreamCut('the vendor’s answer broke off');
  }

  #keep(call: Call, heard: Parameters<typeof keptReply>[0]): void {
    if (this.#ended) return;
    const { recording, meant } = this.#parts;
    const own = credentialsOf(call.headers, call.query);
    const made = keptReply(heard, own);
    const why = made.ok ? recording.add(exactOf(call, meant), made.reply, own) : made.why;
    if (why !== null) return this.#left(call, why);
    this.#kept += 1;
    this.#write();
  }

  #left(call: Call, message: string): void {
    this.#unkept += 1;
    const path = maskPath(call.path, credentialsOf(call.headers, call.query));
    this.#why = [{ method: call.method, path, message }, ...this.#why.slice(0, RECORDING_FAILURES_MAX - 1)];
  }

  /** One at a time; what comes meanwhile is written with the next. */
  #write(): void {
    this.#dirty = true;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  async #writeAll(): Promise<void> {
    const { recording, put, to } = this.#parts;
    while (this.#dirty) {
      this.#dirty = false;
      const why = await put(recording.text).catch((error: Error) => error.message);
      if (why === null) continue;
      this.#unkept += 1;
      this.#why = [
        { method: 'PUT', path: to, message: why },
        ...this.#why.slice(0, RECORDING_FAILURES_MAX - 1),
      ];
    }
  }

  /** All that was kept is in its file when it resolves; nothing more is. */
  async end(): Promise<RecordingStanding> {
    this.#ended = true;
    // With nothing kept too: whoever asked for strictness has it.
    this.#write();
    await this.#writing;
    return this.standing;
  }
}

/** Of this connection, or ours to say: the vendor is asked for bytes that can be read. */
const NOT_SENT_ON =
  /^(?:host|content-length|accept-encoding|expect|traceparent|tracestate|x-wrld-.*|x-twins-key)$/;

function sentOn({ headers }: Call): readonly (readonly [string, string])[] {
  const all = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map(each => [name, each] as const),
  );
  return [...endToEnd(all).filter(([name]) => !NOT_SENT_ON.test(name)), ['Accept-Encoding', 'identity']];
}
