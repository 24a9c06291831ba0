// SMTP on a stream (smtp-server): the conversation, STARTTLS and AUTH are here; whether an address or a mail is taken
// is asked of the twin, and so of its handlers, one word of the protocol at a time.
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { Reply } from '../../twins/kit/reply.ts';
import type { WireAct, WireSession } from '../../twins/kit/wire.ts';
import { MAIL_BYTES_MAX, RECIPIENTS_MAX } from '../../twins/smtp/limits.ts';
import { parseMail } from '../../twins/smtp/parse.ts';
import type { Envelope, Received, SmtpWord } from '../../twins/smtp/received.ts';
import type { StreamServer, WireHost } from './streams.ts';

/** Whom the certificate is for when the client asks for no name, as it does where it was given an address. */
const DEFAULT_NAME = '127.0.0.1';
const HOST_NAME = 'smtp.wrld';

/** Who says nothing for so long is answered 421. */
const IDLE_MS_MAX = 5 * 60_000;

type Answered = (error?: Error | null, message?: string) => void;
type Refusal = Error & { responseCode?: number };
type Connected = { readonly session: WireSession; readonly socket: Duplex };

export function openSmtp({ contexts, log }: WireHost): StreamServer {
  const connected = new Map<string, Connected>();
  const server = new SMTPServer({
    name: HOST_NAME,
    banner: 'a twin: nothing is sent on',
    logger: false,
    disableReverseLookup: true,
    authOptional: true,
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN'],
    size: MAIL_BYTES_MAX,
    maxRecipients: RECIPIENTS_MAX,
    socketTimeout: IDLE_MS_MAX,
    hideENHANCEDSTATUSCODES: false,
    SNICallback: (name, done) => done(null, contexts.contextFor(name.toLowerCase())),
    onAuth: ({ method, username }, _session, done) => {
      // Any will do: what is kept is who it said it was.
      done(null, { user: JSON.stringify({ method, user: username ?? '' }) });
    },
    onMailFrom: ({ address }, session, done) => void ask('MAIL', address, session, done),
    onRcptTo: ({ address }, session, done) => void ask('RCPT', address, session, done),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => {
        if (stream.sizeExceeded) chunks.length = 0;
        else chunks.push(chunk);
      });
      stream.on('end', () => {
        if (stream.sizeExceeded) return done(refusal(552, `A mail has at most ${MAIL_BYTES_MAX} bytes`));
        void take(Buffer.concat(chunks), session, done);
      });
    },
  });
  server.on('error', error => log.debug({ err: error }, 'an SMTP connection broke'));

  async function ask(
    word: SmtpWord,
    address: string,
    session: SMTPServerSession,
    done: Answered,
  ): Promise<void> {
    const { from, ...rest } = envelopeOf(session);
    const body = word === 'MAIL' ? { ...rest, from: address } : { ...rest, from, to: address };
    const path = `/${encodeURIComponent(address).replaceAll('%40', '@').replaceAll('%2B', '+')}`;
    await act(session, { method: word, path, body: Buffer.from(JSON.stringify(body)) }, done);
  }

  async function take(raw: Buffer, session: SMTPServerSession, done: Answered): Promise<void> {
    const read: Received = { envelope: envelopeOf(session), ...(await parseMail(raw)) };
    const traceparent = read.mail.headers.find(({ name }) => name.toLowerCase() === 'traceparent')?.value;
    const given = traceparent === undefined ? {} : { traceparent };
    await act(session, { method: 'DATA', path: '/', body: raw, read, ...given }, done);
  }

  async function act(session: SMTPServerSession, asked: WireAct, done: Answered): Promise<void> {
    const from = connected.get(session.id);
    if (from === undefined) return;
    let reply: Reply;
    try {
      reply = await from.session.act(asked);
    } catch (error) {
      log.error({ err: error, word: asked.method }, 'a mail ended in a bug');
      return done(refusal(451, 'The world failed on this; its log says why'));
    }
    const { delayMs, fault, status } = reply;
    if (delayMs !== undefined && delayMs > 0) await passed(delayMs, from.socket);
    // The client gives up by itself, or the connection's own limit ends it.
    if (fault === 'timeout') return;
    if (fault === 'reset') return void from.socket.destroy();
    const text = textOf(reply);
    if (status < 400) return done(null, text === '' ? undefined : text);
    done(refusal(codeOf(status), text === '' ? 'Refused' : text));
  }

  return (socket, session) => {
    const id = randomBytes(8).toString('hex');
    connected.set(id, { session, socket });
    socket.on('close', () => connected.delete(id));
    // Minted anew long before it expires.
    server.secureContext.set('*', contexts.contextFor(DEFAULT_NAME));
    const ends = { localAddress: '127.0.0.1', localPort: 25, remoteAddress: '127.0.0.1', remotePort: 25 };
    server.connect(asSocket(socket) as Parameters<typeof server.connect>[0], { id, ...ends });
  };
}

function envelopeOf({ envelope, hostNameAppearsAs, user, secure }: SMTPServerSession): Envelope {
  return {
    from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    to: envelope.rcptTo.map(({ address }) => address),
    helo: typeof hostNameAppearsAs === 'string' ? hostNameAppearsAs : '',
    auth: typeof user === 'string' ? (JSON.parse(user) as Envelope['auth']) : null,
    tls: secure,
  };
}

/** A reply's status as a code of SMTP: handlers may name either kind. */
function codeOf(status: number): number {
  if (SMTP_CODES.has(status)) return status;
  return status === 429 || (status >= 500 && status < 510) ? 451 : 550;
}

const SMTP_CODES = new Set([
  421, 450, 451, 452, 454, 455, 521, 523, 530, 534, 535, 538, 550, 551, 552, 553, 554, 555, 556,
]);

/** One line: what a handler wrote may have several. */
function textOf({ body }: Reply): string {
  if (typeof body !== 'string') return '';
  let text = body;
  try {
    const read = JSON.parse(body) as {
      readonly error?: { readonly message?: string };
      readonly message?: string;
    };
    text = read.error?.message ?? read.message ?? '';
  } catch {
    // Words as they are.
  }
  return text.replace(/[\x00-\x1f\x7f]+/g, ' ').trim();
}

function refusal(code: number, message: string): Refusal {
  const error: Refusal = new Error(message);
  error.responseCode = code;
  return error;
}

/** Resolves after `ms`, or as soon as the client is gone. */
function passed(ms: number, socket: Duplex): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    socket.on('close', done);
  });
}

/** smtp-server asks a few things that only a socket has; the bytes of a WebSocket have none of them. */
function asSocket(stream: Duplex): Duplex {
  if ('setTimeout' in stream) return stream;
  return Object.defineProperties(stream, {
    setTimeout: { value: () => stream },
    readyState: { get: () => (stream.destroyed ? 'closed' : 'open') },
  });
}
