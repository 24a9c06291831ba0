// …/twins/<vendor>/recording: what an app and the real vendor say to each other is kept as handlers, while the world's grants
// let it out (docs/recording.md). And what a call is answered whose twin is recorded.
import {
  REFUSAL_HEADER,
  REFUSAL_RECORD_HEADER,
  type RefusalRecord,
  refusalBody,
  refusalDocument,
  refusalField,
} from '../../policy/refusal.ts';
import type { Call } from '../../twins/kit/call.ts';
import { type Handlers, parseHandlers } from '../../twins/kit/handlers.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { Recorder } from '../world/recordings/recorder.ts';
import type { World } from '../world/world.ts';
import { json, noSuchTwin, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route, Visit } from './route.ts';
import { FLAG, list, object, TEXT, withText } from './schema.ts';
import { failure, ref } from './shapes.ts';
import type { RecordingFile, Surroundings } from './surroundings.ts';

const RECORDING = '/-/<org>/<world>/twins/<vendor>/recording';
const STANDING = { description: 'the recording', schema: ref('RecordingStanding') } as const;

export const recordings: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/recordings',
    access: 'write',
    tag: 'Vendors',
    summary: 'what is recorded of real vendors now',
    answers: {
      200: { description: 'by twin', schema: object({ recordings: list(ref('RecordingStanding')) }) },
    },
    run: (_call, world) => json(200, { recordings: world.recordings.list }),
  },
  {
    method: 'PUT',
    path: RECORDING,
    access: 'seal',
    tag: 'Vendors',
    summary:
      'sends on what apps ask the twin to its real vendor, where the world grants it, and keeps the exchanges',
    request: {
      schema: object(
        {},
        {
          to: withText(TEXT, 'a file in the world’s folder; unless given, that of `colocate.scenarioPath`'),
          strict: withText(FLAG, 'what is not recorded is refused when it is replayed'),
          at: withText(TEXT, 'a URL to ask in the place of the vendor’s own hosts'),
        },
      ),
      optional: true,
    },
    answers: {
      200: STANDING,
      400: failure(
        'the file cannot be added to, or there is none; `at` is no URL; the twin is not asked over HTTP',
      ),
      403: failure('a key starts no recording'),
      404: failure('the world has no such twin'),
      409: failure('it is recorded already, or the host keeps no files'),
    },
    run: (call, world, { params, around }) => start(params['vendor']!, call, world, around),
  },
  {
    method: 'DELETE',
    path: RECORDING,
    access: 'seal',
    tag: 'Vendors',
    summary: 'ends the recording; what was kept is in its file',
    answers: {
      200: STANDING,
      403: failure('a key ends no recording'),
      404: failure('nothing is recorded of it'),
    },
    run: async (_call, world, { params }) => {
      const vendor = params['vendor']!;
      const standing = await world.recordings.stop(vendor);
      return standing === null
        ? problem(404, 'not-recorded', `Nothing is recorded of ${vendor.slice(0, 64)}.`)
        : json(200, standing);
    },
  },
];

const STATUS = { 'no-such-twin': 404, 'no-http': 400, 'bad-at': 400, recording: 409 } as const;

async function start(vendor: string, call: Call, world: World, around: Surroundings): Promise<Reply> {
  const body = parseBody(call.body, ['to', 'strict', 'at'], { optional: true });
  if (!body.ok) return problem(400, body.code, body.message);
  const { to = null, strict = false, at = null } = body.value;
  if ((to !== null && typeof to !== 'string') || (at !== null && typeof at !== 'string'))
    return problem(400, 'bad-body', '`to` and `at` are texts.');
  if (typeof strict !== 'boolean') return problem(400, 'bad-body', '`strict` is true or false.');
  const manifest = world.manifest(vendor);
  if (manifest === undefined) return noSuchTwin(vendor);
  if (around.recordingFile === undefined)
    return problem(
      409,
      'no-files',
      'A recording is kept in a file of the world’s folder, and this host has none.',
    );
  const file = await around.recordingFile(vendor, to);
  if (!file.ok) return problem(400, 'bad-file', file.message);
  const before = heldIn(file, manifest.generative);
  if (!before.ok) return problem(400, 'bad-handlers', before.message);
  const put = async (text: string): Promise<string | null> => {
    const loaded = await file.put(text);
    return loaded.ok
      ? null
      : loaded.faults.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ');
  };
  const started = await world.recordings.start(vendor, {
    strict,
    at,
    to: file.name,
    before: before.handlers,
    put,
  });
  return started.ok
    ? json(200, started.standing)
    : problem(STATUS[started.why], started.why, started.message);
}

/** A torn or edited file is said to be one, and left as it is. */
function heldIn(
  { text, name }: Extract<RecordingFile, { ok: true }>,
  generative: boolean,
):
  | { readonly ok: true; readonly handlers: Handlers | null }
  | { readonly ok: false; readonly message: string } {
  if (text === null) return { ok: true, handlers: null };
  const parsed = parseHandlers(text, { generative });
  if (parsed.ok) return parsed;
  const faults = parsed.faults.map(({ pointer, message }) => `${name}${pointer}: ${message}`).join('; ');
  return {
    ok: false,
    message: `${name} is there and cannot be added to; mend it, or name another file. ${faults}`,
  };
}

/** Whose calls are sent on: those of programs, that may do what they ask. A page of the world's own is the twin's. */
export function recorderOf(world: World, vendor: string, call: Call, { asker }: Visit): Recorder | null {
  const recorder = world.recordings.of(vendor);
  if (recorder === null || asker?.by === 'session') return null;
  if (call.via !== 'host' && call.via !== 'url') return null;
  const reads = call.method === 'GET' || call.method === 'HEAD' || call.method === 'OPTIONS';
  return reads || call.scope === 'write' ? recorder : null;
}

export async function recordedReply(
  recorder: Recorder,
  vendor: string,
  call: Call,
  around: Surroundings,
): Promise<Reply> {
  const from = performance.now();
  // The proxy has judged by the declaration of the run that asks; who comes by the twin's own URL may be any of them.
  const declared = call.via === 'url' ? (around.runs?.declarations() ?? []) : [];
  const result = await recorder.answer(call, declared);
  const reply = result.ok
    ? result.reply
    : result.record !== undefined
      ? refusalReply(result.record as RefusalRecord, call)
      : (around.vendorError(
          vendor,
          502,
          'wrld_vendor_away',
          `The real vendor did not answer: ${result.message}`,
        ) ?? problem(502, 'no-answer', result.message));
  around.prompter?.answered(vendor, call, reply, { ms: performance.now() - from, prompted: false });
  return reply;
}

/** As the proxy tells a refusal (7.1), for who comes by the twin's own URL. */
function refusalReply(record: RefusalRecord, { headers }: Call): Reply {
  const accept = String(headers['accept'] ?? '*/*').toLowerCase();
  const asJson = /\bjson\b/.test(accept) && !/\*\/\*|text\//.test(accept);
  const field = refusalField(record);
  return {
    status: 502,
    headers: [
      [REFUSAL_HEADER, record.missing],
      ...(field === null ? [] : [[REFUSAL_RECORD_HEADER, field] as const]),
      ['Content-Type', asJson ? 'application/json' : 'text/plain; charset=utf-8'],
      ['Cache-Control', 'no-store'],
    ],
    body: asJson ? refusalDocument(record) : refusalBody(record),
  };
}
