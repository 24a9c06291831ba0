// …/twins/<vendor>/credential and …/credentials/rewrap: what is shown to real vendors, sealed (2.9, 4.6). It is written and
// never read back.
import { parseJson } from '../../policy/json-text.ts';
import { credentialWords } from '../world/roots/credentials.ts';
import { parseCredentialBody } from '../world/seals/credential.ts';
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { failure, ref } from './shapes.ts';

const CREDENTIAL = '/-/<org>/<world>/twins/<vendor>/credential';

const away = () =>
  problem(
    503,
    'vault-away',
    'The key that seals credentials cannot be had now; the world’s log says why. Nothing was changed. Ask again.',
  );

export const credentials: readonly Route[] = [
  {
    method: 'GET',
    path: CREDENTIAL,
    access: 'write',
    tag: 'Vendors',
    summary:
      'whether a credential is sealed for a vendor, since when, by whom and for which origin; never the credential',
    answers: { 200: { description: 'what is sealed', schema: ref('Credential') } },
    run: (_call, world, { params }) => json(200, world.real.credentials.state(params['vendor']!)),
  },
  {
    method: 'PUT',
    path: CREDENTIAL,
    access: 'seal',
    tag: 'Vendors',
    summary:
      'seals a vendor’s real credential, bound to the origin of the twin’s root, else of the link of that name',
    request: { schema: ref('CredentialWrite') },
    answers: {
      200: { description: 'it is sealed', schema: ref('Credential') },
      400: failure('it is no credential'),
      403: failure('a key seals nothing'),
      409: failure('the vendor has neither a root nor a link'),
      503: failure('the key that seals cannot be had now'),
    },
    run: async (call, world, { params }) => {
      const name = params['vendor']!;
      const body = parseJson(call.body);
      if (!body.ok) return problem(400, 'bad-body', `The body is ${body.why}.`);
      const read = parseCredentialBody(body.value);
      if (!read.ok) return problem(400, 'bad-credential', read.message);
      const put = await world.real.credentials.put(name, read.credential);
      if (put.ok) return json(200, put.state);
      if (put.why === 'away') return away();
      const what = `${credentialWords(name, 'no-vendor')} Set one first: PUT …/twins/${name}/root, or PUT …/links/${name}.`;
      return problem(409, 'no-vendor', what);
    },
  },
  {
    method: 'POST',
    path: '/-/<org>/<world>/credentials/rewrap',
    access: 'seal',
    tag: 'Vendors',
    summary:
      'after the vault’s key was rotated, wraps each credential’s data key again under its newest version',
    answers: {
      200: { description: 'what was wrapped again, and what could not be', schema: ref('Rewrapped') },
      403: failure('a key wraps nothing'),
      503: failure('the vault does not answer; what was wrapped again stays so'),
    },
    run: async (_call, world) => {
      const result = await world.real.credentials.rewrap();
      if (!result.ok) return away();
      const { rewrapped, current, left } = result;
      return json(200, { rewrapped, current, left });
    },
  },
];
