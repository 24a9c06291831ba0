// GET /-/console/: the page of whoever runs the host (4.10). It holds nothing by itself: what it shows it asks of the endpoints
// with the admin token that is typed into it.
import { fileOf, shellOf } from '../http/page-files.ts';
import { failure } from '../http/shapes.ts';
import type { AdminRoute } from './admin-route.ts';

const FOLDER = 'host';
const PLACE = '/-/console/';

export const consolePage: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: PLACE,
    access: 'open',
    tag: 'Hosting',
    summary: 'the console: the worlds, looked for, made, rotated, removed, and the health of the host',
    answers: {
      200: { description: 'the page', type: 'text/html' },
      404: failure('the host has no console'),
    },
    run: (_body, { around }) => shellOf(FOLDER, around.pageFile),
  },
  {
    method: 'GET',
    path: `${PLACE}<folder>/<file>`,
    access: 'open',
    tag: 'Hosting',
    summary: 'a file of the console',
    answers: {
      200: { description: 'the file', type: 'text/*' },
      404: failure('the page has no such file'),
    },
    run: (_body, { around, params }) => fileOf(FOLDER, around.pageFile, params),
  },
  {
    method: 'GET',
    path: PLACE.slice(0, -1),
    access: 'open',
    tag: 'Hosting',
    summary: 'leads to the console',
    answers: { 308: { description: 'to the same with a slash' } },
    run: () => ({ status: 308, headers: [['location', PLACE]], body: null }),
  },
];
