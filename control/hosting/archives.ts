// /-/worlds/<org>/<world>/archive: a world as a text that moves to another host, and that comes from one (ours, beside 4.10).
// It comes in parts, each a request: no host takes all of it in one, and what breaks off goes on with the next part.
import type { Reply } from '../../twins/kit/reply.ts';
import { json, problem } from '../http/answer.ts';
import { COUNT, list, object, oneOf, type Schema, TEXT, withText } from '../http/schema.ts';
import { failure } from '../http/shapes.ts';
import { readHeader } from '../world/archive/header.ts';
import { type AdminRoute, type AdminVisit, NOT_ADMIN, refused } from './admin-route.ts';
import type { HostArchives } from './host-archives.ts';
import { NO_SUCH_WORLD, nameOf, ROW } from './worlds.ts';

const PATH = '/-/worlds/<org>/<world>/archive';
const TYPE = 'application/x-ndjson';
const TEXT_LINES: Schema = { type: 'string' };

const LEFT = withText(
  list(
    object({
      world: TEXT,
      what: oneOf('credential', 'twin', 'file', 'setting', 'access'),
      name: TEXT,
      why: TEXT,
    }),
  ),
  'what does not come along, and why',
);

const JUDGED = object({
  name: TEXT,
  worlds: withText(list(TEXT), 'itself, and its branches'),
  rows: COUNT,
  bytes: withText(COUNT, 'of what is larger than a row holds'),
  left: LEFT,
});

const FIRST = { schema: TEXT_LINES, type: TYPE, description: 'the first part of an archive' };
const NOT_TAKEN = {
  400: failure('no archive, one of another world, or one with twins that are not here'),
  ...NOT_ADMIN,
  409: failure('a name of it is taken, or it is of a newer release (`newer-release`)'),
  503: failure('the host is shutting down, or the vault that seals does not answer'),
};

export const archives: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: PATH,
    access: 'admin',
    tag: 'Hosting',
    summary: 'the world with its branches as an archive, which another host takes in (ours)',
    answers: {
      200: {
        description: 'lines of JSON in numbered parts; one that does not end with its last part broke off',
        schema: TEXT_LINES,
        type: TYPE,
      },
      ...NOT_ADMIN,
      404: NO_SUCH_WORLD,
      409: failure('it is a branch, or a deploy of it is under way'),
      503: failure('the world cannot be read; the host’s log says why'),
    },
    run: async (_body, visit) => {
      const given = await archivesOf(visit).give(nameOf(visit), true);
      if (!given.ok) return refused(given);
      return {
        status: 200,
        headers: [
          ['content-type', TYPE],
          ['cache-control', 'no-store'],
        ],
        body: bytesOf(given.parts),
      };
    },
  },
  {
    method: 'POST',
    path: `${PATH}/check`,
    access: 'admin',
    tag: 'Hosting',
    summary:
      'whether an archive would be taken in, and what of it would not come along; changes nothing (ours)',
    request: FIRST,
    answers: { 200: { description: 'it would', schema: JUDGED }, ...NOT_TAKEN },
    run: (body, visit) => begun(body, visit, 200, ({ header }) => archivesOf(visit).judge(header)),
  },
  {
    method: 'POST',
    path: PATH,
    access: 'admin',
    tag: 'Hosting',
    summary: 'begins to take in an archive; the world is there when its last part has come (ours)',
    request: FIRST,
    answers: { 201: { description: 'part 1 comes next', schema: JUDGED }, ...NOT_TAKEN },
    run: (body, visit) =>
      begun(body, visit, 201, ({ header, part }) => archivesOf(visit).begin(header, part)),
  },
  {
    method: 'PUT',
    path: PATH,
    access: 'admin',
    tag: 'Hosting',
    summary: 'the next part of an archive that is arriving (ours)',
    request: {
      schema: TEXT_LINES,
      type: TYPE,
      description: 'a part; the one before once more changes nothing',
    },
    answers: {
      200: {
        description:
          'it is taken: `next` is the number of the part that follows, or after the last the rows of the worlds',
        schema: object({ name: TEXT }, { next: COUNT, worlds: list(ROW) }),
      },
      400: failure('the archive is damaged: nothing of it is left here'),
      ...NOT_ADMIN,
      404: failure('no archive is arriving under that name, or it was given up'),
      409: failure('another part comes next (`out-of-order`)'),
      503: failure('the host is shutting down'),
    },
    run: async (body, visit) => {
      const name = nameOf(visit);
      const text = decode(body);
      const taken = text === null ? NO_TEXT : await archivesOf(visit).take(name, text);
      if (!taken.ok) return refused(taken);
      return json(200, 'rows' in taken ? { name, worlds: taken.rows } : { name, next: taken.next });
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    access: 'admin',
    tag: 'Hosting',
    summary: 'gives up an archive that is arriving; nothing of it is left (ours)',
    answers: {
      204: { description: 'it is given up' },
      ...NOT_ADMIN,
      404: failure('no archive is arriving under that name'),
    },
    run: async (_body, visit) => {
      const name = nameOf(visit);
      if (await archivesOf(visit).abandon(name)) return { status: 204, headers: [], body: null };
      return problem(404, 'nothing-arriving', `Nothing arrives under the name ${name}.`);
    },
  },
];

const NO_TEXT = {
  ok: false,
  status: 400,
  code: 'no-archive',
  message: 'The part is no UTF-8 text.',
} as const;

function archivesOf({ around }: AdminVisit): HostArchives {
  return around.worlds.archives;
}

type Begun = { readonly header: Parameters<HostArchives['judge']>[0]; readonly part: string };

async function begun(
  body: Uint8Array,
  visit: AdminVisit,
  status: number,
  judge: (first: Begun) => ReturnType<HostArchives['judge']>,
): Promise<Reply> {
  const name = nameOf(visit);
  const part = decode(body);
  const cut = part?.indexOf('\n') ?? -1;
  if (part === null || cut === -1) return problem(400, 'no-archive', 'The body is no part of an archive.');
  const read = readHeader(part.slice(0, cut + 1));
  if (!read.ok) return problem(read.why === 'newer-release' ? 409 : 400, read.why, read.message);
  const { header } = read;
  const [first] = header.worlds;
  if (first!.name !== name)
    return problem(
      400,
      'other-world',
      `The archive is of ${first!.name}; a world keeps its name when it moves.`,
    );
  const judged = await judge({ header, part });
  if (!judged.ok) return refused(judged);
  return json(status, {
    name,
    worlds: header.worlds.map(each => each.name),
    rows: header.worlds.reduce((sum, { rows }) => sum + rows, 0),
    bytes: header.worlds.reduce((sum, { blobs }) => sum + blobs.bytes, 0),
    left: [...header.left, ...judged.left],
  });
}

function decode(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}

async function* bytesOf(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const part of parts) yield encoder.encode(part);
}
