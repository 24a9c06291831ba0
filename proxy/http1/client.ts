// A client's HTTP/1 connection, in the clear or inside TLS: its socket and its deadline. What the bytes are is
// core/request-reader.ts's to say, what becomes of a request served-request.ts's.
import type { Socket } from 'node:net';
import type { Run } from '../../policy/run.ts';
import type { Snapshot } from '../../policy/snapshot.ts';
import { readConnect } from '../core/connect.ts';
import { RequestReader } from '../core/request-reader.ts';
import type { Held } from '../deadlines.ts';
import { DRAIN_MS_MAX } from '../limits.ts';
import type { Place } from '../place.ts';
import type { Plane } from '../plane.ts';
import { type Answer, answerBytes, plainAnswer } from '../refuse.ts';
import { Relay } from '../relay.ts';
import { identify } from '../runs.ts';
import { type ClientSide, ServedRequest } from '../served-request.ts';
import { AnswerWriter } from './answer.ts';
import type { RequestHead } from './request.ts';
import type { ResponseHead } from './response.ts';

const SLASH = 47;
const MALFORMED_BODY = plainAnswer(400, 'the chunked body is malformed.');
const OWN_PAGE = plainAnswer(
  400,
  'this is a proxy: set HTTPS_PROXY and HTTP_PROXY to its address, or start your command with "wrld world run -- <command>".',
);

export class ClientConnection implements Held, ClientSide {
  deadline: number;
  readonly answerable = true;
  readonly #socket: Socket;
  readonly #place: Place;
  readonly #plane: Plane;
  readonly #request: ServedRequest;
  readonly #reader: RequestReader;
  readonly #writer: AnswerWriter;
  /** What has come is being worked off: whoever wants it read on need not do it himself. */
  #reading = false;

  constructor(socket: Socket, place: Place, plane: Plane) {
    this.#socket = socket;
    this.#place = place;
    this.#plane = plane;
    this.#request = new ServedRequest(this, plane, 'http1');
    this.#reader = new RequestReader(this.#request);
    this.#writer = new AnswerWriter(socket);
    this.deadline = plane.deadlines.now + plane.limits.headMs;
    plane.deadlines.add(this);
    socket.on('data', this.#onData);
    socket.on('drain', this.#onDrain);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  /** Bytes that came before this connection took over the socket. */
  feed(bytes: Buffer): void {
    if (bytes.length > 0) this.#onData(bytes);
  }

  /** On shutdown: what is idle closes now, what is busy after its answer. */
  drain(): void {
    if (!this.#request.inExchange) this.#close();
  }

  expire(): void {
    this.#socket.destroy();
  }

  get #now(): number {
    return this.#plane.deadlines.now;
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#reader.take(chunk);
    this.#readOn();
  };

  #readOn(): void {
    if (this.#reading) return;
    this.#reading = true;
    while (!this.#reader.empty && this.#readNext());
    this.#reading = false;
  }

  /** False where what is left has to wait. */
  #readNext(): boolean {
    if (this.#reader.at === 'in-body') this.deadline = this.#now + this.#plane.limits.exchangeStallMs;
    const found = this.#reader.next();
    if (typeof found === 'object') {
      if (found.ok) this.#begin(found);
      else {
        this.#request.begin(null);
        this.#request.answer(plainAnswer(found.status, found.why));
      }
      return true;
    }
    switch (found) {
      case 'nothing':
        return true;
      case 'part-of-head': {
        const latest = this.#now + this.#plane.limits.headMs;
        if (this.deadline > latest) this.deadline = latest;
        return false;
      }
      case 'too-early':
        this.#socket.pause();
        return false;
      case 'broken-body':
        if (this.#request.answered) this.#request.breakShort();
        else this.#request.breakOff(MALFORMED_BODY);
        return false;
      case 'broken-rest':
        this.#close();
        return false;
      case 'too-late':
        this.#socket.destroy();
        return false;
    }
  }

  #begin(head: RequestHead): void {
    const snapshot = this.#plane.snapshot();
    this.#request.begin(head);
    this.deadline = this.#now + this.#plane.limits.exchangeStallMs;
    const place = this.#place;
    if (place.at === 'tunnel') this.#serve(head, place.run, snapshot);
    else this.#beginOutside(head, place.guest, snapshot);
  }

  /** Of a request outside a tunnel nobody knows yet who asks, nor that it is the proxy's to forward. */
  #beginOutside(head: RequestHead, guest: boolean, snapshot: Snapshot): void {
    const forHere = head.target.charCodeAt(0) === SLASH;
    const page = forHere && !guest ? this.#plane.ownPage(head, this.#socket.remoteAddress) : null;
    if (page !== null) return this.#request.answer(page);
    const identified = identify(head.proxyAuthorization, snapshot, this.#plane.loopback);
    if (!identified.ok) {
      const ask = ['Proxy-Authenticate', 'Basic realm="wrld"'] as const;
      return this.#request.answer(plainAnswer(407, identified.why, [ask]));
    }
    if (head.method === 'CONNECT') this.#connect(head, { run: identified.run, guest }, snapshot);
    else if (forHere) this.#request.answer(OWN_PAGE);
    else this.#serve(head, identified.run, snapshot);
  }

  #serve(head: RequestHead, run: Run, snapshot: Snapshot): void {
    this.#reader.expectBody(head.framing);
    this.#writer.start(head);
    this.#request.serve(this.#place, run, snapshot);
  }

  #connect(
    head: RequestHead,
    from: { readonly run: Run; readonly guest: boolean },
    snapshot: Snapshot,
  ): void {
    // What came with it was meant for the tunnel, also where there will be none.
    const rest = this.#reader.rest();
    const read = readConnect(head.target, from, snapshot);
    if (!read.ok) return this.#request.refuse(from.run, read.refusal);
    if (!this.#plane.mayTunnel(from.run)) {
      const why = `this run has ${this.#plane.limits.tunnelsPerRun} tunnels open, the most it may.`;
      return this.#request.answer(plainAnswer(503, why, [['Retry-After', '1']]));
    }
    // What comes through it is written to the journal, not the CONNECT itself.
    this.#request.dismiss();
    this.#release();
    this.#socket.write('HTTP/1.1 200 Connection Established\r\n\r\n', 'latin1');
    this.#plane.openTunnel(this.#socket, read.ask, rest);
  }

  /** Lets go of the socket: another owner goes on with it. */
  #release(): void {
    this.#writer.turnEnds();
    this.#plane.deadlines.delete(this);
    this.#socket.off('data', this.#onData);
    this.#socket.off('drain', this.#onDrain);
    this.#socket.off('end', this.#onEnd);
    this.#socket.off('error', this.#onError);
    this.#socket.off('close', this.#onClose);
  }

  // What the request asks of its connection.

  writeInterim(head: ResponseHead): void {
    this.#writer.interim(head);
  }

  writeHead(head: ResponseHead, requestDone: boolean): void {
    this.#writer.head(head, requestDone);
  }

  writeData(bytes: Buffer): boolean {
    this.deadline = this.#now + this.#plane.limits.exchangeStallMs;
    return this.#writer.data(bytes);
  }

  writeEnd(trailers: string): void {
    this.#writer.end(trailers);
  }

  flush(): boolean {
    return this.#writer.flush();
  }

  writeAnswer(answer: Answer): void {
    const { head } = this.#request;
    const keep =
      answer.status === 502 &&
      head?.keepAlive === true &&
      !this.#plane.draining &&
      this.#reader.canSkip(head);
    this.#writer.turnEnds();
    this.#socket.write(answerBytes(answer, { close: !keep, head: head?.method === 'HEAD' }));
    if (keep) this.#awaitNext();
    else this.#close();
  }

  answerWritten(): void {
    if (this.#writer.keepAlive && this.#reader.bodyDone && !this.#plane.draining) this.#awaitNext();
    else this.#close();
  }

  /** The twin switched protocols: from here on both sides' bytes are passed on as they are. */
  switchTo(head: ResponseHead, upstream: Socket, first: Buffer): void {
    this.#release();
    this.#socket.write(
      `HTTP/1.1 101 ${head.reason}\r\n${head.forwarded}Connection: Upgrade\r\nUpgrade: ${head.upgrade}\r\n\r\n`,
      'latin1',
    );
    if (first.length > 0) this.#socket.write(first);
    new Relay(this.#socket, upstream, this.#reader.rest(), this.#plane.deadlines);
  }

  pauseRequest(): void {
    this.#socket.pause();
  }

  resumeRequest(): void {
    this.#reader.readBody();
    this.#socket.resume();
    this.#readOn();
  }

  cut(): void {
    this.#writer.turnEnds();
    this.#socket.destroy();
  }

  #awaitNext(): void {
    this.deadline = this.#now + this.#plane.limits.clientIdleMs;
    this.#reader.awaitNext();
    if (this.#reader.empty && !this.#socket.isPaused()) return;
    this.#socket.resume();
    this.#readOn();
  }

  /** Says goodbye after the answer, and reads on within limits so that the client gets to see it. */
  #close(): void {
    this.#reader.close();
    this.deadline = this.#now + DRAIN_MS_MAX;
    this.#writer.turnEnds();
    this.#socket.end();
    this.#socket.resume();
  }

  readonly #onDrain = (): void => {
    this.#request.drained();
  };

  readonly #onEnd = (): void => {
    // A client that closed its side in mid-exchange has gone away; its upstream must know at once.
    if (this.#request.inExchange) this.#socket.destroy();
    else {
      this.#writer.turnEnds();
      this.#socket.end();
    }
  };

  readonly #onError = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#plane.deadlines.delete(this);
    this.#request.gone();
  };
}
