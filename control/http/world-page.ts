// The world's own page (4.9 “looking into a world”): a shell without data, and its files. What it shows it asks
// of the endpoints, with the session of whoever opened it.
import { fileOf, shellOf } from './page-files.ts';
import type { Route } from './route.ts';
import { failure } from './shapes.ts';

const FOLDER = 'world';

export const worldPage: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/',
    access: 'open',
    tag: 'Looking',
    answers: { 200: { description: 'the page', type: 'text/html' } },
    summary: 'the world’s own page: twins, live timeline, clock, requests, refusals, branches, keys',
    run: (_call, _world, { around }) => shellOf(FOLDER, around.pageFile),
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/page/<folder>/<file>',
    access: 'open',
    tag: 'Looking',
    answers: {
      200: { description: 'the file', type: 'text/*' },
      404: failure('the page has no such file'),
    },
    summary: 'a file of the world’s page',
    run: (_call, _world, { around, params }) => fileOf(FOLDER, around.pageFile, params),
  },
];
