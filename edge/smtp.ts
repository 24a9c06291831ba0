// SMTP on a stream of the edge (RFC 5321): the conversation is here; whether a login, an address or a mail is taken is asked
// of the twin, and so of its handlers, one word of the protocol at a time. The library that the Node host has for it needs a
// server of sockets, which workerd has not (docs/decisions/0025); and there is no STARTTLS, since what is inside of a
// WebSocket is inside of its TLS.

import { describeFault } from '../control/world/store/fault.ts';
import type { Reply } from '../twins/kit/reply.ts';
import type { WireAct, WireSession } from '../twins/kit/wire.ts';
import { RECIPIENTS_MAX, WIRE_LIMITS } from '../twins/smtp/limits.ts';
import { type ParsedMail, parseMail, unreadMail } from '../twins/smtp/parse.ts';
import type { Asked, Envelope, Received, SmtpWord } from '../twins/smtp/received.ts';
import { codeOf, textOf } from '../twins/smtp/wire-reply.ts';
import { MAIL_BLANK_LINES_MAX, MAIL_BYTES_MAX } from './limits.ts';
import type { StreamEnd, StreamServer } from './streams.ts';

const HOST_NAME = 'smtp.wrld';
const ADDRESS = /^\s*<([^<>]*)>(?:\s+(.*))?$/;
const EMPTY = new Uint8Array(0);
/** A dot and the end of its line. */
const END_OF_MAIL_BYTES = 3;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What comes next belongs to: a command, the mail's lines, or an answer to a challenge of AUTH. */
type Awaited =
  | { readonly at: 'command' }
  | { readonly at: 'mail' }
  | { readonly at: 'auth'; readonly heard: (line: string) => Promise<void> };

class SmtpConversation {
  readonly #session: WireSession;
  readonly #client: StreamEnd;
  #buffer: Uint8Array = EMPTY;
  #searched = 0;
  #awaits: Awaited = { at: 'command' };
  #turn: Promise<void> = Promise.resolve();
  #over = false;
  #helo = '';
  #auth: Envelope['auth'] = null;
  #from: string | null = null;
  #to: string[] = [];

  constructor(session: WireSession, client: StreamEnd) {
    this.#session = session;
    this.#client = client;
    this.#say(220, `${HOST_NAME} ESMTP a twin: nothing is sent on`);
  }

  take(bytes: Uint8Array): void {
    this.#then(async () => {
      this.#buffer = joined(this.#buffer, bytes);
      await this.#read();
    });
  }

  over(): void {
    this.#over = true;
  }

  #then(work: () => Promise<void>): void {
    this.#turn = this.#turn.then(async () => {
      if (this.#over) return;
      try {
        await work();
      } catch (error) {
        this.#client.log.error({ fault: describeFault(error) }, 'a mail ended in a bug');
        this.#end(451, 'The world failed on this; its log says why');
      }
    });
  }

  /** As much as is whole. */
  async #read(): Promise<void> {
    while (!this.#over) {
      if (this.#awaits.at === 'mail') {
        const end = endOfMail(this.#buffer, this.#searched);
        if (end === -1) {
          // What came so far is not looked through again, but for an end of which a part is here.
          this.#searched = Math.max(this.#buffer.length - END_OF_MAIL_BYTES, 0);
          // There is no telling where the next command would begin.
          if (this.#buffer.length > 2 * MAIL_BYTES_MAX) this.#end(552, TOO_LARGE);
          return;
        }
        this.#searched = 0;
        const raw = this.#buffer.subarray(0, end);
        this.#buffer = this.#buffer.slice(end + END_OF_MAIL_BYTES);
        this.#awaits = { at: 'command' };
        await this.#mail(raw);
        continue;
      }
      const at = this.#buffer.indexOf(0x0a);
      if (at === -1) {
        if (this.#buffer.length > WIRE_LIMITS.commandBytes) this.#end(421, 'The line is too long');
        return;
      }
      const line = decoder.decode(this.#buffer.subarray(0, at)).replace(/\r$/, '');
      this.#buffer = this.#buffer.slice(at + 1);
      if (this.#awaits.at === 'auth') {
        const { heard } = this.#awaits;
        this.#awaits = { at: 'command' };
        await heard(line);
      } else await this.#command(line);
    }
  }

  async #command(line: string): Promise<void> {
    const [, word = '', rest = ''] = /^(\S*)\s?(.*)$/.exec(line) ?? [];
    switch (word.toUpperCase()) {
      case 'EHLO':
      case 'HELO':
        return this.#hello(word.toUpperCase(), rest.trim());
      case 'AUTH':
        return this.#login(rest.trim());
      case 'MAIL':
        return this.#sender(rest);
      case 'RCPT':
        return this.#recipient(rest);
      case 'DATA':
        if (this.#from === null || this.#to.length === 0)
          return this.#say(503, '5.5.1 Bad sequence of commands');
        this.#awaits = { at: 'mail' };
        return this.#say(354, 'End data with <CR><LF>.<CR><LF>');
      case 'RSET':
        this.#reset();
        return this.#say(250, '2.0.0 Flushed');
      case 'NOOP':
        return this.#say(250, '2.0.0 OK');
      case 'VRFY':
        return this.#say(252, '2.1.5 Try to send something. No promises though');
      case 'QUIT':
        return this.#end(221, '2.0.0 Bye');
      case 'STARTTLS':
        return this.#say(502, '5.5.1 The stream has the TLS of its WebSocket');
      default:
        return this.#say(500, '5.5.2 Error: command not recognized');
    }
  }

  #hello(word: string, name: string): void {
    if (name === '') return this.#say(501, `5.5.4 Error: syntax: ${word} hostname`);
    this.#reset();
    this.#helo = name;
    const nice = `${HOST_NAME} Nice to meet you, ${name}`;
    if (word === 'HELO') return this.#say(250, nice);
    const features = ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES', 'AUTH PLAIN LOGIN'];
    const lines = [nice, ...features].map(text => `250-${text}\r\n`).join('');
    this.#send(`${lines}250 SIZE ${MAIL_BYTES_MAX}\r\n`);
  }

  /** Any credentials will do: what is kept is who it said it was. */
  async #login(rest: string): Promise<void> {
    const [method = '', first] = rest.split(/\s+/);
    if (this.#helo === '' || this.#auth !== null || this.#from !== null)
      return this.#say(503, '5.5.1 Bad sequence of commands');
    const plain = (text: string): Promise<void> =>
      this.#loggedIn('PLAIN', base64Text(text).split('\0')[1] ?? '');
    const named = (text: string): Promise<void> => {
      const user = base64Text(text);
      this.#challenge('UGFzc3dvcmQ6', () => this.#loggedIn('LOGIN', user));
      return Promise.resolve();
    };
    switch (method.toUpperCase()) {
      case 'PLAIN':
        return first === undefined ? this.#challenge('', plain) : plain(first);
      case 'LOGIN':
        return first === undefined ? this.#challenge('VXNlcm5hbWU6', named) : named(first);
      default:
        return this.#say(504, '5.5.4 Unrecognized authentication type');
    }
  }

  #challenge(words: string, heard: (line: string) => Promise<void>): void {
    this.#awaits = {
      at: 'auth',
      heard: async line => (line === '*' ? this.#say(501, '5.7.0 Authentication aborted') : heard(line)),
    };
    this.#say(334, words);
  }

  async #loggedIn(method: string, user: string): Promise<void> {
    const auth = { method, user };
    const reply = await this.#ask('AUTH', user, { auth });
    if (reply === null || !this.#took(reply, 535)) return;
    this.#auth = auth;
    this.#say(235, '2.7.0 Authentication successful');
  }

  async #sender(rest: string): Promise<void> {
    const [, address, parameters = ''] = ADDRESS.exec(rest.replace(/^FROM:/i, '')) ?? [];
    if (this.#helo === '') return this.#say(503, '5.5.1 Error: send HELO/EHLO first');
    if (this.#from !== null) return this.#say(503, '5.5.1 Error: nested MAIL command');
    if (address === undefined || !/^FROM:/i.test(rest))
      return this.#say(501, '5.1.7 Bad sender address syntax');
    const size = Number(/(?:^|\s)SIZE=(\d+)/i.exec(parameters)?.[1] ?? 0);
    if (size > MAIL_BYTES_MAX) return this.#say(552, `5.3.4 ${TOO_LARGE}`);
    const reply = await this.#ask('MAIL', address, { from: address });
    if (reply === null || !this.#took(reply, 550)) return;
    this.#from = address;
    this.#to = [];
    this.#say(250, '2.1.0 Accepted');
  }

  async #recipient(rest: string): Promise<void> {
    const address = ADDRESS.exec(rest.replace(/^TO:/i, ''))?.[1] ?? '';
    if (this.#from === null) return this.#say(503, '5.5.1 Error: need MAIL command');
    if (address === '' || !/^TO:/i.test(rest)) return this.#say(501, '5.1.3 Bad recipient address syntax');
    if (this.#to.length >= RECIPIENTS_MAX) return this.#say(452, '4.5.3 Error: too many recipients');
    const reply = await this.#ask('RCPT', address, { to: address });
    if (reply === null || !this.#took(reply, 550)) return;
    this.#to.push(address);
    this.#say(250, '2.1.5 Accepted');
  }

  async #mail(stuffed: Uint8Array): Promise<void> {
    const raw = unstuffed(stuffed);
    const envelope = this.#envelope();
    this.#reset();
    if (raw.length > MAIL_BYTES_MAX) return this.#say(552, `5.3.4 ${TOO_LARGE}`);
    const read: Received = { envelope, raw, ...(await readMail(raw)) };
    const { headers, subject, from, messageId } = read.mail;
    const traceparent = headers.find(({ name }) => name.toLowerCase() === 'traceparent')?.value;
    // What handlers may match by; the mail itself goes beside it.
    const shown = { ...envelope, subject, sender: from[0]?.address ?? null, messageId, size: raw.length };
    const body = encoder.encode(JSON.stringify(shown));
    const reply = await this.#act({
      method: 'DATA',
      path: '/',
      body,
      read,
      ...(traceparent && { traceparent }),
    });
    if (reply !== null && this.#took(reply, 550)) this.#say(250, textOf(reply) || '2.0.0 OK: message queued');
  }

  #envelope(): Envelope {
    return { from: this.#from ?? '', to: this.#to, helo: this.#helo, auth: this.#auth, tls: true };
  }

  #ask(
    word: Exclude<SmtpWord, 'DATA'>,
    name: string,
    more: { readonly auth?: Envelope['auth']; readonly from?: string; readonly to?: string },
  ): Promise<Reply | null> {
    const asked: Asked = { ...this.#envelope(), to: null, ...more };
    const path = `/${encodeURIComponent(name).replaceAll('%40', '@').replaceAll('%2B', '+')}`;
    return this.#act({ method: word, path, body: encoder.encode(JSON.stringify(asked)) });
  }

  /** Null where nothing is to be said. */
  async #act(act: WireAct): Promise<Reply | null> {
    const reply = await this.#session.act(act);
    if (reply.delayMs !== undefined && reply.delayMs > 0)
      await new Promise(resolve => setTimeout(resolve, reply.delayMs));
    // The client gives up by itself.
    if (reply.fault === 'timeout') this.#over = true;
    else if (reply.fault === 'reset') this.#end();
    return reply.fault === undefined && !this.#over ? reply : null;
  }

  /** Says the refusal where it is one. */
  #took(reply: Reply, otherwise: number): boolean {
    if (reply.status < 400) return true;
    this.#say(codeOf(reply.status, otherwise), textOf(reply) || 'Refused');
    return false;
  }

  #reset(): void {
    this.#from = null;
    this.#to = [];
  }

  #say(code: number, text: string): void {
    this.#send(`${code} ${text}\r\n`);
  }

  #send(text: string): void {
    if (!this.#over) this.#client.send(encoder.encode(text));
  }

  #end(code?: number, text = ''): void {
    if (code !== undefined) this.#say(code, text);
    this.#over = true;
    this.#client.end();
  }
}

export const openSmtp: StreamServer = (session, client) => {
  const conversation = new SmtpConversation(session, client);
  return { take: bytes => conversation.take(bytes), over: () => conversation.over() };
};

const TOO_LARGE = `A mail has at most ${MAIL_BYTES_MAX} bytes`;

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}

/** Where the line of a single dot begins; -1 while it has not come. */
function endOfMail(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x2e, from); at !== -1; at = bytes.indexOf(0x2e, at + 1)) {
    const begins = at === 0 || bytes[at - 1] === 0x0a;
    if (begins && bytes[at + 1] === 0x0d && bytes[at + 2] === 0x0a) return at;
  }
  return -1;
}

/** RFC 5321, 4.5.2: a dot that begins a line was put there. */
function unstuffed(bytes: Uint8Array): Uint8Array {
  const plain = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0x2e && (at === 0 || bytes[at - 1] === 0x0a)) continue;
    plain[length++] = bytes[at]!;
  }
  return plain.subarray(0, length);
}

/** A stranger's: what its parser would take minutes for is kept as it came. */
async function readMail(raw: Uint8Array): Promise<ParsedMail> {
  let blank = 0;
  let inLine = false;
  for (const byte of raw) {
    if (byte === 0x0a) {
      blank = inLine ? 0 : blank + 1;
      if (blank > MAIL_BLANK_LINES_MAX) return unreadMail('it has too many blank lines');
      inLine = false;
    } else if (byte !== 0x0d) inLine = true;
  }
  return parseMail(raw);
}

function base64Text(text: string): string {
  try {
    return decoder.decode(Uint8Array.from(atob(text), mark => mark.charCodeAt(0)));
  } catch {
    return '';
  }
}
