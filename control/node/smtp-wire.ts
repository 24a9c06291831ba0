// SMTP on a stream (smtp-server): the conversation, STARTTLS and AUTH are here; whether a login, an address or a mail
// is taken is asked of the twin, and so of its handlers, one word of the protocol at a time.
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { LeafCache } from '../../certs/cache.ts';
import { parseHost } from '../../policy/authority.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { WireAct, WireSession } from '../../twins/kit/wire.ts';
import { RECIPIENTS_MAX, WIRE_LIMITS, type WireLimits } from '../../twins/smtp/limits.ts';
import type { Asked, Envelope, Received, SmtpWord } from '../../twins/smtp/received.ts';
import { MailBytes, MailStore } from './mail-bytes.ts';
import { MailReader } from './mail-reader.ts';
import type { StreamServer, WireHost } from './streams.ts';

/** Whom the certificate is for when the client asks for no name, as it does where it was given an address. */
const DEFAULT_NAME = '127.0.0.1';
const HOST_NAME = 'smtp.wrld';

type Answered = (error?: Error | null, message?: string) => void;
type Refusal = Error & { responseCode?: number };
type Connected = { readonly session: WireSession; readonly socket: Duplex };

export function openSmtp({ contexts, log }: WireHost, limits: WireLimits = WIRE_LIMITS): StreamServer {
  const connected = new Map<string, Connected>();
  const store = new MailStore(limits.heldBytes);
  const reader = new MailReader();
  const server = new SMTPServer({
    name: HOST_NAME,
    banner: 'a twin: nothing is sent on',
    logger: false,
    disableReverseLookup: true,
    authOptional: true,
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN', 'CRAM-MD5', 'XOAUTH2'],
    // Jokes of old mail servers.
    disabledCommands: ['WIZ', 'SHELL', 'KILL'],
    size: limits.mailBytes,
    maxRecipients: RECIPIENTS_MAX,
    maxClients: limits.connections,
    maxCommandLength: limits.commandBytes,
    socketTimeout: limits.idleMs,
    hideENHANCEDSTATUSCODES: false,
    SNICallback: (name, done) => done(null, contextOf(contexts, name)),
    // Any credentials will do: what is kept is who it said it was.
    onAuth: ({ method, username }, session, done) => {
      const auth = { method, user: username ?? '' };
      void ask('AUTH', auth.user, { session, auth }, error =>
        error ? done(error) : done(null, { user: JSON.stringify(auth) }),
      );
    },
    onMailFrom: ({ address }, session, done) => void ask('MAIL', address, { session }, done),
    onRcptTo: ({ address }, session, done) => void ask('RCPT', address, { session }, done),
    onData: (stream, session, done) => receive(stream, session, done),
  });
  server.on('error', error => log.debug({ err: error }, 'an SMTP connection broke'));

  /** Said on top of whatever TLS the connection has by then; whoever does not leave is cut. */
  function dismiss(id: string, code: number, why: string): void {
    for (const connection of server.connections) {
      if (connection.id !== id) continue;
      connection.send(code, why);
      connection.close();
    }
  }

  /** At once: smtp-server would wait 100 ms for clients that speak too soon, each mail's sender with it. */
  function greet(id: string): void {
    for (const connection of server.connections) {
      if (connection.id !== id) continue;
      connection.connectionReady();
      connection.connectionReady = () => {};
    }
  }

  async function ask(
    word: Exclude<SmtpWord, 'DATA'>,
    name: string,
    { session, auth }: { readonly session: SMTPServerSession; readonly auth?: Envelope['auth'] },
    done: Answered,
  ): Promise<void> {
    const envelope = envelopeOf(session);
    const asked: Asked = {
      ...envelope,
      ...(auth && { auth }),
      ...(word === 'MAIL' && { from: name }),
      to: word === 'RCPT' ? name : null,
    };
    const path = `/${encodeURIComponent(name).replaceAll('%40', '@').replaceAll('%2B', '+')}`;
    await act(session, { method: word, path, body: Buffer.from(JSON.stringify(asked)) }, done);
  }

  function receive(stream: SMTPServerDataStream, session: SMTPServerSession, done: Answered): void {
    const mail = new MailBytes(store);
    let crowded = false;
    const late = setTimeout(() => dismiss(session.id, 421, 'The mail takes too long'), limits.mailMs).unref();
    stream.on('data', (piece: Buffer) => {
      if (stream.sizeExceeded) {
        mail.release();
        if (stream.byteLength > limits.mailBytes + limits.oversizeBytes)
          dismiss(session.id, 552, tooLarge(limits));
      } else if (!crowded) crowded = !mail.add(piece);
    });
    // Its client may leave in the middle of it.
    stream.on('close', () => clearTimeout(late));
    stream.on('error', () => mail.release());
    stream.on('end', () => {
      clearTimeout(late);
      if (stream.sizeExceeded) return done(refusal(552, tooLarge(limits)));
      if (crowded) return done(refusal(452, 'Too many mails are on their way; try again later'));
      void take(mail.bytes, session, done).finally(() => mail.release());
    });
  }

  async function take(raw: Uint8Array, session: SMTPServerSession, done: Answered): Promise<void> {
    const envelope = envelopeOf(session);
    const read: Received = { envelope, raw, ...(await reader.read(raw)) };
    const { headers, subject, from, messageId } = read.mail;
    const traceparent = headers.find(({ name }) => name.toLowerCase() === 'traceparent')?.value;
    // What handlers may match by; the mail itself goes beside it.
    const shown = { ...envelope, subject, sender: from[0]?.address ?? null, messageId, size: raw.length };
    const body = Buffer.from(JSON.stringify(shown));
    await act(session, { method: 'DATA', path: '/', body, read, ...(traceparent && { traceparent }) }, done);
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
    const otherwise = asked.method === 'AUTH' ? 535 : 550;
    done(refusal(codeOf(status, otherwise), text === '' ? 'Refused' : text));
  }

  return (socket, session) => {
    const id = randomBytes(8).toString('hex');
    connected.set(id, { session, socket });
    const late = setTimeout(
      () => dismiss(id, 421, 'This connection is too old'),
      limits.connectionMs,
    ).unref();
    socket.on('close', () => {
      clearTimeout(late);
      connected.delete(id);
    });
    // Minted anew long before it expires.
    server.secureContext.set('*', contexts.contextFor(DEFAULT_NAME));
    const ends = { localAddress: '127.0.0.1', localPort: 25, remoteAddress: '127.0.0.1', remotePort: 25 };
    server.connect(asSocket(socket) as Parameters<typeof server.connect>[0], { id, ...ends });
    greet(id);
  };
}

/** Undefined, and so the default, for what is no host's name: nothing is minted for it. */
function contextOf(contexts: LeafCache, name: string): ReturnType<LeafCache['contextFor']> | undefined {
  const asked = parseHost(name);
  return asked.ok ? contexts.contextFor(asked.host) : undefined;
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
function codeOf(status: number, otherwise: number): number {
  if (SMTP_CODES.has(status)) return status;
  return status === 429 || (status >= 500 && status < 510) ? 451 : otherwise;
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

function tooLarge({ mailBytes }: WireLimits): string {
  return `A mail has at most ${mailBytes} bytes`;
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

/**
 * smtp-server takes everybody's listeners off a socket at STARTTLS, and asks for a few things that only a socket has
 * and the bytes of a WebSocket have not.
 */
function asSocket(stream: Duplex): Duplex {
  const ours = stream.eventNames().map(name => [name, stream.rawListeners(name)] as const);
  const removeAll = stream.removeAllListeners.bind(stream);
  stream.removeAllListeners = (...names: [event?: string | symbol]) => {
    removeAll(...names);
    for (const [name, listeners] of ours) {
      if (names.length > 0 && names[0] !== name) continue;
      for (const listener of listeners) stream.on(name, listener as (...values: unknown[]) => void);
    }
    return stream;
  };
  if ('setTimeout' in stream) return stream;
  return Object.defineProperties(stream, {
    setTimeout: { value: () => stream },
    readyState: { get: () => (stream.destroyed ? 'closed' : 'open') },
  });
}
