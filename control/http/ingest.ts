// …/twins/<vendor>/ingest: webhooks of a real vendor (4.6, 6.2). The vendor's signature is the credential.
import type { IngestResult } from '../world/roots/ingest.ts';
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { FLAG, object, TEXT, withText } from './schema.ts';
import { failure } from './shapes.ts';

type Why = Extract<IngestResult, { ok: false }>['why'];

const STATUS: { readonly [why in Why]: 400 | 401 | 404 | 409 | 500 | 503 } = {
  'no-such-twin': 404,
  'takes-none': 404,
  'no-secret': 409,
  'vault-away': 503,
  'bad-signature': 401,
  'too-old': 400,
  'bad-body': 400,
  'not-now': 503,
  failed: 500,
};

export const ingest: readonly Route[] = [
  {
    method: 'POST',
    path: '/-/<org>/<world>/twins/<vendor>/ingest',
    access: 'keyless',
    tag: 'Vendors',
    summary:
      'a webhook of the real vendor, verified with the sealed signing secret and folded into the log; each event once',
    request: { schema: {}, description: 'as the vendor sends it, with its signature' },
    answers: {
      200: {
        description: 'it came in, or has before',
        schema: object(
          { ingested: withText(FLAG, 'false: it came before, or is nothing that the twin keeps') },
          { challenge: withText(TEXT, 'what the vendor asked to be answered') },
        ),
      },
      400: failure('its signature is too old, or its body is no JSON object'),
      401: failure('its signature does not hold'),
      404: failure('the world has no such twin, or it takes no webhooks'),
      409: failure('no signing secret is sealed, or it was sealed for another origin'),
      503: failure('it cannot be verified or taken now; the vendor sends it again'),
    },
    run: async (call, world, { params }) => {
      const result = await world.ingest(params['vendor']!, call);
      if (!result.ok) return problem(STATUS[result.why], result.why, result.message);
      const { ingested, challenge } = result;
      return json(200, { ingested, ...(challenge !== undefined && { challenge }) });
    },
  },
];
