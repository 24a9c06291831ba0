// …/blobs: the bytes that entries name by their SHA-256, for whoever takes over a history whole.
import { problem } from './answer.ts';
import type { Route } from './route.ts';
import { TEXT } from './schema.ts';
import { failure } from './shapes.ts';

export const blobs: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/blobs/<sha>',
    access: 'read',
    tag: 'History',
    summary: 'the bytes of that SHA-256 that an entry or a record names',
    answers: {
      200: { description: 'the bytes', schema: TEXT, type: 'application/octet-stream' },
      404: failure('there are none'),
    },
    run: async (_call, world, { params }) => {
      const bytes = await world.past.file(params['sha']!);
      if (bytes === null) return problem(404, 'no-such-bytes', 'The world keeps no bytes of that SHA-256.');
      return {
        status: 200,
        headers: [
          ['content-type', 'application/octet-stream'],
          ['x-content-type-options', 'nosniff'],
          ['cache-control', 'no-store'],
        ],
        body: bytes,
      };
    },
  },
];
