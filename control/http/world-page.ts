// The world's own page (4.9 “looking into a world”): a shell without data, and its files. What it shows it asks
// of the endpoints, with the session of whoever opened it.
import type { Reply } from '../../twins/kit/reply.ts';
import { problem } from './answer.ts';
import type { Route, Visit } from './route.ts';
import { failure } from './shapes.ts';

const PAGE = 'index.html';
/** Served where a session is asked for. */
const BOARD = 'board.html';
const NO_SUCH_FILE = problem(404, 'no-such-file', 'The page has no such file.');

export const worldPage: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/',
    access: 'open',
    tag: 'Looking',
    answers: { 200: { description: 'the page', type: 'text/html' } },
    summary: 'the world’s own page: twins, live timeline, clock, requests, refusals, branches, keys',
    run: (_call, _world, visit) => file(visit, PAGE),
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/page/<file>',
    access: 'open',
    tag: 'Looking',
    answers: {
      200: { description: 'the file', type: 'text/*' },
      404: failure('the page has no such file'),
    },
    summary: 'a file of the world’s page',
    run: (_call, _world, visit) =>
      [PAGE, BOARD].includes(visit.params['file']!) ? NO_SUCH_FILE : file(visit, visit.params['file']!),
  },
];

// Nothing from elsewhere, nothing inline, and in nobody's frame: a click in it moves a world's clock.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function file({ around }: Visit, name: string): Reply {
  const found = around.pageFile(name);
  if (found === null) return NO_SUCH_FILE;
  return {
    status: 200,
    headers: [
      ['content-type', found.type],
      ['content-security-policy', POLICY],
      ['x-content-type-options', 'nosniff'],
      ['referrer-policy', 'no-referrer'],
      // Asked for anew after an update; what it weighs is nothing on loopback.
      ['cache-control', 'no-cache'],
    ],
    body: found.body,
  };
}
