// …/links: vendors that the world forwards to under a name, where no twin stands in for them (4.7).
import { json, problem } from './answer.ts';
import { parseBody } from './body.ts';
import type { Route } from './route.ts';
import { list, object, TEXT, withText } from './schema.ts';
import { failure, ref } from './shapes.ts';

const LINK = '/-/<org>/<world>/links/<name>';

export const links: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/links',
    access: 'write',
    tag: 'Vendors',
    summary: 'the links: `/<org>/<world>/<name>/…` forwards to the vendor at the link’s origin',
    answers: { 200: { description: 'the links, by name', schema: object({ links: list(ref('Link')) }) } },
    run: (_call, world) => json(200, { links: world.real.links.list() }),
  },
  {
    method: 'PUT',
    path: LINK,
    access: 'seal',
    tag: 'Vendors',
    summary: 'makes a link, or points it elsewhere; its credential is sealed at `…/twins/<name>/credential`',
    request: { schema: object({ origin: withText(TEXT, 'https, a hostname') }) },
    answers: {
      200: { description: 'the link', schema: ref('Link') },
      400: failure('its name or its origin is none'),
      403: failure('a key makes no links'),
      409: failure('a twin has the name, or there are too many'),
    },
    run: async (call, world, { params }) => {
      const body = parseBody(call.body, ['origin']);
      if (!body.ok) return problem(400, body.code, body.message);
      const put = await world.putLink(params['name']!, body.value['origin']);
      if (put.ok) return json(200, put.link);
      const status = put.why === 'name-taken' || put.why === 'too-many' ? 409 : 400;
      return problem(status, put.why, put.message);
    },
  },
  {
    method: 'DELETE',
    path: LINK,
    access: 'seal',
    tag: 'Vendors',
    summary: 'removes a link, and what was sealed for it',
    answers: {
      204: { description: 'it is removed' },
      403: failure('a key removes no links'),
      404: failure('there is no such link'),
    },
    run: async (_call, world, { params }) => {
      const name = params['name']!;
      return (await world.removeLink(name))
        ? { status: 204, headers: [], body: null }
        : problem(404, 'no-such-link', `There is no link ${name.slice(0, 64)}.`);
    },
  },
];
