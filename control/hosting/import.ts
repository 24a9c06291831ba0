// PUT /-/worlds/<org>/<world>/import: a twin's state, brought from a namespace elsewhere (4.11).
import { json, problem } from '../http/answer.ts';
import { parseBody } from '../http/body.ts';
import { COUNT, map, object, POSITION, TEXT, withText } from '../http/schema.ts';
import { failure } from '../http/shapes.ts';
import { type AdminRoute, NOT_ADMIN, refused } from './admin-route.ts';
import { IMPORTED_FILES_MAX } from './limits.ts';
import { nameOf } from './worlds.ts';

export const imports: readonly AdminRoute[] = [
  {
    method: 'PUT',
    path: '/-/worlds/<org>/<world>/import',
    access: 'admin',
    tag: 'Hosting',
    summary: 'places the state files of one twin, which has no history yet',
    request: {
      schema: object({ twin: TEXT, files: map(TEXT) }),
      description:
        '`{ twin, files }`; `files` maps `.wrld/world/<state>/<file>` to content: `checkpoint.json`, as `GET …/checkpoint/<twin>` answers it, and `blobs/<sha256>` in base64 for each file that it names',
    },
    answers: {
      200: {
        description: 'they are in the world, as one entry of the twin’s log',
        schema: object({ name: TEXT, twin: TEXT, position: POSITION, records: withText(COUNT, 'imported') }),
      },
      400: failure('the body, a path that is no state file, or a file that is not what it should be'),
      ...NOT_ADMIN,
      404: failure('the host has no world of that name, or the world no such twin'),
      409: failure('the twin has a history already'),
      413: failure('more than one entry holds'),
      503: failure('the world cannot be opened; the host’s log says why'),
    },
    run: async (body, visit) => {
      const parsed = parseBody(body, ['twin', 'files']);
      if (!parsed.ok) return problem(400, parsed.code, parsed.message);
      const { twin, files } = parsed.value;
      if (typeof twin !== 'string') return problem(400, 'bad-body', '`twin` is a text: a twin of the world.');
      if (!isFiles(files))
        return problem(
          400,
          'bad-body',
          `\`files\` is an object of 1 to ${IMPORTED_FILES_MAX} texts, each by its path: .wrld/world/<state>/<file>.`,
        );
      const name = nameOf(visit);
      const done = await visit.around.worlds.import!(name, { twin, files });
      if (!done.ok) return refused(done);
      return json(200, { name, twin, position: done.position, records: done.records });
    },
  },
];

function isFiles(value: unknown): value is { readonly [path: string]: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const contents = Object.values(value);
  return (
    contents.length > 0 &&
    contents.length <= IMPORTED_FILES_MAX &&
    contents.every(content => typeof content === 'string')
  );
}
