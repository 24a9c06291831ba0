// One exchange on the edge: a Request to what a site is asked with, the site's plain reply to a Response.
import type { AnswersInFlight } from '../control/http/answers-in-flight.ts';
import type { Arrived } from '../control/http/arrived.ts';
import type { Admission } from '../control/http/site.ts';
import type { Log } from '../control/ports/log.ts';
import { REQUEST_BODY_BYTES_MAX } from '../control/world/limits.ts';
import { describeFault } from '../control/world/store/fault.ts';
import { readWhole } from '../control/world/store/stream-bytes.ts';
import type { Reply } from '../twins/kit/reply.ts';
import { ANSWER_SLICE_BYTES, FAULT_HOLD_MS_MAX } from './limits.ts';

type Around = {
  readonly log: Log;
  /** In every answer. */
  readonly headers: Reply['headers'];
};

const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();

/** What the platform says of the connection, and no client of the world's. */
const OF_THE_PLATFORM = /^(?:cf|mf)-|^(?:cdn-loop|true-client-ip|x-real-ip|x-forwarded-(?:for|proto))$/;
const OURS = /^x-(?:wrld-|twins-key$)/;

export function arrivedOf(request: Request): Arrived {
  const rawHeaders: string[] = [];
  for (const [name, value] of request.headers) {
    if (OF_THE_PLATFORM.test(name)) continue;
    // What came twice was put together by the platform, and no credential has a comma.
    for (const each of OURS.test(name) ? value.split(', ') : [value]) rawHeaders.push(name, each);
  }
  return { method: request.method, target: targetOf(request.url), rawHeaders, from: 'client' };
}

/** As it was on the request line. */
function targetOf(url: string): string {
  const begins = url.indexOf('/', url.indexOf('://') + 3);
  return begins === -1 ? '/' : url.slice(begins);
}

/** Never rejects. */
export async function exchange(admission: Admission, request: Request, around: Around): Promise<Response> {
  const gone = new AbortController();
  try {
    switch (admission.at) {
      case 'answered':
        return await respond(admission.reply, { ...around, inFlight: null, gone });
      case 'forwarded': {
        const reply = await admission.forward(chunksOf(request.body), gone.signal);
        return await respond(reply, { ...around, inFlight: admission.inFlight, gone });
      }
      case 'admitted': {
        const body = await wholeOf(request);
        const reply = body === null ? admission.tooLarge() : await admission.answer(body);
        return await respond(reply, { ...around, inFlight: admission.inFlight, gone });
      }
    }
  } catch (error) {
    around.log.error({ fault: describeFault(error) }, 'an answer could not be written');
    return new Response('The world failed on this request; its log says why.\n', { status: 500 });
  }
}

/** Null when it is over the limit. */
async function wholeOf({ body, headers }: Request): Promise<Uint8Array | null> {
  if (body === null) return NOTHING;
  if (Number(headers.get('content-length') ?? 0) > REQUEST_BODY_BYTES_MAX) {
    await body.cancel();
    return null;
  }
  return readWhole(body as ReadableStream<Uint8Array>, REQUEST_BODY_BYTES_MAX);
}

function chunksOf(body: ReadableStream<Uint8Array> | null): AsyncIterable<Uint8Array> | null {
  return body;
}

type Way = Around & { readonly inFlight: AnswersInFlight | null; readonly gone: AbortController };

async function respond(reply: Reply, way: Way): Promise<Response> {
  if (reply.delayMs !== undefined && reply.delayMs > 0) await pause(reply.delayMs);
  const { status, fault } = reply;
  if (fault === 'timeout') await pause(FAULT_HOLD_MS_MAX);
  // A worker cannot cut a connection before there is an answer: it begins one, and breaks it off.
  if (fault !== undefined) return new Response(brokenOff(), { status: 200 });
  const headers = new Headers();
  let encoded = false;
  for (const [name, value] of [...reply.headers, ...way.headers]) {
    if (/^(content-length|transfer-encoding|connection|keep-alive)$/i.test(name)) continue;
    encoded ||= /^content-encoding$/i.test(name);
    headers.append(name, value);
  }
  const bodyless = status === 204 || status === 205 || status === 304;
  const body = bodyless || reply.body === null ? null : bodyOf(reply.body, way);
  return new Response(body, { status, headers, ...(encoded && { encodeBody: 'manual' }) });
}

function bodyOf(body: NonNullable<Reply['body']>, { inFlight, gone }: Way): BodyInit {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return streamOf(body, gone);
  if (body.length <= ANSWER_SLICE_BYTES || inFlight === null) return body;
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  return slicesOf(bytes, inFlight);
}

/** As its client takes it; what waits is counted (answers-in-flight.ts). */
function slicesOf(bytes: Uint8Array, inFlight: AnswersInFlight): ReadableStream<Uint8Array> {
  let at = 0;
  let cut = (): void => {};
  const answer = inFlight.begin(bytes.length, () => cut());
  const stream = new ReadableStream<Uint8Array>(
    {
      start: controller => {
        cut = () => controller.error(new Error('nobody reads it'));
      },
      pull: controller => {
        const slice = bytes.subarray(at, at + ANSWER_SLICE_BYTES);
        at += slice.length;
        // A buffer of its own: the platform may take it away.
        controller.enqueue(slice.slice());
        answer.took(slice.length);
        if (at < bytes.length) return;
        answer.end();
        controller.close();
      },
      cancel: () => answer.end(),
    },
    { highWaterMark: 0 },
  );
  return stream.pipeThrough(new FixedLengthStream(bytes.length));
}

/** A client that leaves ends it at its source. */
function streamOf(body: AsyncIterable<Uint8Array>, gone: AbortController): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        try {
          const { done, value } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(error);
        }
      },
      cancel: () => {
        gone.abort();
        // Not awaited: a source that waits for its next event may take its time to notice.
        void chunks.return?.().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

function brokenOff(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: controller => controller.error(new Error('cut')) });
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
