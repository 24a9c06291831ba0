// EventSource of an attached global. The platform's sends no header, so a twin's stream is read by fetch, as its own would be.
import { EVENT_CHARS_MAX, EVENT_SOURCE_RETRY_MS } from './limits.js';
import { errorEvent, handlers, shutSource } from './shut.js';

/** @param {typeof globalThis} scope @param {import('./tab.js').Tab} tab */
export function installEventSource(scope, tab) {
  if (typeof scope.EventSource !== 'function') return;
  scope.EventSource = new Proxy(scope.EventSource, {
    construct(target, [to, options], made) {
      const url = tab.absolute(to);
      const verdict = tab.judge('GET', url);
      if (verdict.to === 'refused') return shutSource(url.href, tab.refusal(url, verdict));
      if (verdict.to === 'out') return Reflect.construct(target, [url.href, options], made);
      // `fetch` is the attached one: it signs.
      return new FetchedSource(url.href, scope.fetch);
    },
  });
}

class FetchedSource extends EventTarget {
  CONNECTING = /** @type {const} */ (0);
  OPEN = /** @type {const} */ (1);
  CLOSED = /** @type {const} */ (2);
  withCredentials = false;
  readyState = 0;
  #ended = new AbortController();
  #lastId = '';
  #retryMs = EVENT_SOURCE_RETRY_MS;
  #ask;

  /** @param {string} url @param {typeof globalThis.fetch} ask */
  constructor(url, ask) {
    super();
    this.url = url;
    this.#ask = ask;
    handlers(this, ['open', 'message', 'error']);
    void this.#follow();
  }

  close() {
    this.readyState = this.CLOSED;
    this.#ended.abort();
  }

  async #follow() {
    while (this.readyState !== this.CLOSED) {
      try {
        await this.#read();
      } catch (error) {
        if (this.#ended.signal.aborted) return;
        if (error instanceof NotAStream) {
          this.close();
          this.dispatchEvent(errorEvent(error));
          return;
        }
      }
      if (this.#ended.signal.aborted) return;
      this.readyState = this.CONNECTING;
      this.dispatchEvent(new Event('error'));
      await new Promise(resolve => setTimeout(resolve, this.#retryMs));
    }
  }

  async #read() {
    const answer = await this.#ask(this.url, {
      headers: {
        accept: 'text/event-stream',
        ...(this.#lastId !== '' && { 'last-event-id': this.#lastId }),
      },
      cache: 'no-store',
      signal: this.#ended.signal,
    });
    const type = answer.headers.get('content-type') ?? '';
    if (answer.status !== 200 || !/^text\/event-stream\b/i.test(type) || answer.body === null)
      throw new NotAStream(`${this.url} answers ${answer.status} (${type}), and no event stream`);
    this.readyState = this.OPEN;
    this.dispatchEvent(new Event('open'));
    const { origin } = new URL(this.url);
    const events = new EventReader();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read())
      for (const { type, data, id, retryMs } of events.read(part.value)) {
        this.#lastId = id;
        this.#retryMs = retryMs ?? this.#retryMs;
        if (data !== null && !this.#ended.signal.aborted)
          this.dispatchEvent(new MessageEvent(type, { data, lastEventId: id, origin }));
      }
  }
}

class NotAStream extends Error {}

/** Lines to events, as the HTML standard reads an event stream. */
export class EventReader {
  #held = '';
  #type = '';
  #id = '';
  /** @type {string[]} */
  #data = [];
  /** @type {number | null} */
  #retryMs = null;

  /** Each event that `text` ends; `data` null: one that only says an id or a time. @param {string} text @returns {{ type: string; data: string | null; id: string; retryMs: number | null }[]} */
  read(text) {
    const whole = this.#held + text;
    // A `\r` at the end may be half of a line's end.
    const lines = whole.split(/\r\n|\n|\r(?!$)/);
    this.#held = lines.pop() ?? '';
    if (this.#held.length > EVENT_CHARS_MAX) throw new NotAStream('a line of the event stream is too long');
    const events = [];
    for (const line of lines) {
      if (line !== '') {
        this.#take(line);
        continue;
      }
      const data = this.#data.length === 0 ? null : this.#data.join('\n');
      if (data !== null || this.#retryMs !== null)
        events.push({ type: this.#type || 'message', data, id: this.#id, retryMs: this.#retryMs });
      this.#type = '';
      this.#data = [];
      this.#retryMs = null;
    }
    return events;
  }

  /** @param {string} line */
  #take(line) {
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value);
  }
}
