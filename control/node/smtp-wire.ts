// SMTP on a stream (smtp-server): the conversation, STARTTLS and AUTH are here; whether a login, an address or a mail
// is taken is asked of the twin, and so of its handlers, one word of the protocol at a time.
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from 'smtp-server';
import type { LeafCache } from '../../certs/cache.ts';
import { parseHost } from '../../policy/authority.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { WireAct, WireSession } from '../../twins/kit/wire.ts';
import { RECIPIENTS_MAX, WIRE_LIMITS, type WireLimits } from '../../twins/smtp/limits.ts';
import { unannounced } from '../../twins/smtp/protocol.ts';
import type { Asked, Envelope, Received, SmtpWord } from '../../twins/smtp/received.ts';
import { codeOf, refusal, textOf } from '../../twins/smtp/wire-reply.ts';
import { MailBytes, MailStore } from './mail-bytes.ts';
import { MailReader } from './mail-reader.ts';
import { asSocket, pause } from './smtp-socket.ts';
import type { StreamServer, WireHost } from './stream-server.ts';

/** Whom the certificate is for when the client asks for no name, as it does where it was given an address. */
const DEFAULT_NAME = '127.0.0.1';
const HOST_NAME = 'smtp.wrld';

type Answered = (error?: Error | null, message?: string) => void;
type Connected = { readonly session: WireSession; readonly socket: Duplex; readonly world: string };
/** Where TLS comes before the first word (RFC 8314). */
const SUBMISSIONS_PORT = 465;

export function openSmtp(host: WireHost, limits: WireLimits = WIRE_LIMITS): StreamServer {
  const wire = new SmtpWire(host, limits);
  return (socket, session, world, port) => {
    const connected = { socket, session, world };
    if (port === SUBMISSIONS_PORT) wire.secure(connected);
    else wire.connect(connected);
  };
}

class SmtpWire {
  readonly #host: WireHost;
  readonly #limits: WireLimits;
  readonly #connected = new Map<string, Connected>();
  readonly #store: MailStore;
  readonly #reader = new MailReader();
  /** For those who speak in the clear until STARTTLS, and for those who come with TLS. */
  readonly #server: SMTPServer;
  readonly #secured: SMTPServer;

  constructor(host: WireHost, limits: WireLimits) {
    this.#host = host;
    this.#limits = limits;
    this.#store = new MailStore(limits.heldBytes);
    this.#server = this.#open({});
    this.#secured = this.#open({ secure: true, secured: true });
  }

  #open(tls: { readonly secure?: true; readonly secured?: true }): SMTPServer {
    const [host, limits] = [this.#host, this.#limits];
    const server = new SMTPServer({
      ...tls,
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
      maxCommandLength: limits.commandBytes,
      socketTimeout: limits.idleMs,
      hideENHANCEDSTATUSCODES: false,
      SNICallback: (name, done) => done(null, contextOf(host.contexts, name)),
      // Any credentials will do: what is kept is who it said it was.
      onAuth: ({ method, username }, session, done) => {
        const auth = { method, user: username ?? '' };
        void this.#ask('AUTH', auth.user, { session, auth }, error =>
          error ? done(error) : done(null, { user: JSON.stringify(auth) }),
        );
      },
      onMailFrom: (given, session, done) => void this.#addressed('MAIL', given, session, done),
      onRcptTo: (given, session, done) => void this.#addressed('RCPT', given, session, done),
      onData: (stream, session, done) => this.#receive(stream, session, done),
    });
    server.on('error', error => host.log.debug({ err: error }, 'an SMTP connection broke'));
    return server;
  }

  /** TLS first; a client that does not come to its end in time is cut. */
  secure(connected: Connected): void {
    const { contexts } = this.#host;
    const { socket } = connected;
    const secured = new TLSSocket(socket as Socket, {
      isServer: true,
      secureContext: contexts.contextFor(DEFAULT_NAME),
      SNICallback: (name, done) => done(null, contextOf(contexts, name)),
    });
    const late = setTimeout(() => socket.destroy(), this.#limits.idleMs).unref();
    socket.on('close', () => clearTimeout(late));
    secured.on('error', () => socket.destroy());
    secured.once('secure', () => {
      clearTimeout(late);
      this.connect({ ...connected, socket: secured }, this.#secured);
    });
  }

  connect(connected: Connected, server = this.#server): void {
    const { socket, world } = connected;
    const id = randomBytes(8).toString('hex');
    this.#connected.set(id, connected);
    const late = setTimeout(
      () => this.#dismiss(id, 421, 'This connection is too old'),
      this.#limits.connectionMs,
    ).unref();
    socket.on('close', () => {
      clearTimeout(late);
      this.#connected.delete(id);
    });
    // Minted anew long before it expires.
    server.secureContext.set('*', this.#host.contexts.contextFor(DEFAULT_NAME));
    const ends = { localAddress: '127.0.0.1', localPort: 25, remoteAddress: '127.0.0.1', remotePort: 25 };
    server.connect(asSocket(socket) as Parameters<SMTPServer['connect']>[0], { id, ...ends });
    this.#tellTooLarge(id);
    // smtp-server's own limit would count the clients of every world.
    if (this.#count(world) > this.#limits.connections) this.#dismiss(id, 421, 'Too many connected clients');
    else this.#greet(id);
  }

  #count(world: string): number {
    let count = 0;
    for (const connected of this.#connected.values()) if (connected.world === world) count += 1;
    return count;
  }

  #named(id: string) {
    const all = [...this.#server.connections, ...this.#secured.connections];
    return all.filter(connection => connection.id === id);
  }

  /** Said on top of whatever TLS the connection has by then; whoever does not leave is cut. */
  #dismiss(id: string, code: number, why: string): void {
    for (const connection of this.#named(id)) {
      connection.send(code, why);
      connection.close();
    }
  }

  /** 5.3.4 says that the mail is too large (RFC 3463); smtp-server says of each 552 that a mailbox is full. */
  #tellTooLarge(id: string): void {
    const why = tooLarge(this.#limits);
    for (const connection of this.#named(id)) {
      const send = connection.send.bind(connection);
      connection.send = (code, text, context) =>
        send(code, text, code === 552 && text === why ? 'MESSAGE_TOO_BIG' : context);
    }
  }

  /** At once: smtp-server would wait 100 ms for clients that speak too soon, each mail's sender with it. */
  #greet(id: string): void {
    for (const connection of this.#named(id)) {
      connection.connectionReady();
      connection.connectionReady = () => {};
    }
  }

  async #addressed(
    word: 'MAIL' | 'RCPT',
    { address, args }: SMTPServerAddress,
    session: SMTPServerSession,
    done: Answered,
  ): Promise<void> {
    const extra = unannounced(word, Object.keys(args === false ? {} : args));
    if (extra === undefined) return this.#ask(word, address, { session }, done);
    done(refusal(555, `5.5.4 Unsupported option: ${extra}`));
  }

  async #ask(
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
    await this.#act(session, { method: word, path, body: Buffer.from(JSON.stringify(asked)) }, done);
  }

  #receive(stream: SMTPServerDataStream, session: SMTPServerSession, done: Answered): void {
    const limits = this.#limits;
    const mail = new MailBytes(this.#store);
    let crowded = false;
    const late = setTimeout(
      () => this.#dismiss(session.id, 421, 'The mail takes too long'),
      limits.mailMs,
    ).unref();
    stream.on('data', (piece: Buffer) => {
      if (stream.sizeExceeded) {
        mail.release();
        if (stream.byteLength > limits.mailBytes + limits.oversizeBytes)
          this.#dismiss(session.id, 552, tooLarge(limits));
      } else if (!crowded) crowded = !mail.add(piece);
    });
    // Its client may leave in the middle of it.
    stream.on('close', () => clearTimeout(late));
    stream.on('error', () => mail.release());
    stream.on('end', () => {
      clearTimeout(late);
      if (stream.sizeExceeded) return done(refusal(552, tooLarge(limits)));
      if (crowded) return done(refusal(452, 'Too many mails are on their way; try again later'));
      void this.#take(mail.bytes, session, done).finally(() => mail.release());
    });
  }

  async #take(raw: Uint8Array, session: SMTPServerSession, done: Answered): Promise<void> {
    const envelope = envelopeOf(session);
    const read: Received = { envelope, raw, ...(await this.#reader.read(raw)) };
    const { headers, subject, from, messageId } = read.mail;
    const traceparent = headers.find(({ name }) => name.toLowerCase() === 'traceparent')?.value;
    // What handlers may match by; the mail itself goes beside it.
    const shown = { ...envelope, subject, sender: from[0]?.address ?? null, messageId, size: raw.length };
    const body = Buffer.from(JSON.stringify(shown));
    const asked: WireAct = { method: 'DATA', path: '/', body, read, ...(traceparent && { traceparent }) };
    await this.#act(session, asked, done);
  }

  async #act(session: SMTPServerSession, asked: WireAct, done: Answered): Promise<void> {
    const from = this.#connected.get(session.id);
    if (from === undefined) return;
    let reply: Reply;
    try {
      reply = await from.session.act(asked);
    } catch (error) {
      this.#host.log.error({ err: error, word: asked.method }, 'a mail ended in a bug');
      return done(refusal(451, 'The world failed on this; its log says why'));
    }
    const { delayMs, fault, status } = reply;
    if (delayMs !== undefined && delayMs > 0) await pause(delayMs, from.socket);
    // The client gives up by itself, or the connection's own limit ends it.
    if (fault === 'timeout') return;
    if (fault === 'reset') return void from.socket.destroy();
    const text = textOf(reply);
    if (status < 400) return done(null, text === '' ? undefined : text);
    const otherwise = asked.method === 'AUTH' ? 535 : 550;
    done(refusal(codeOf(status, otherwise), text === '' ? 'Refused' : text));
  }
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

function tooLarge({ mailBytes }: WireLimits): string {
  return `A mail has at most ${mailBytes} bytes`;
}
