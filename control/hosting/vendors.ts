// GET /-/vendors: the twins that a world can be made with.
import { json } from '../http/answer.ts';
import { list, object, TEXT } from '../http/schema.ts';
import { type AdminRoute, NOT_ADMIN } from './admin-route.ts';

export const vendors: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/-/vendors',
    access: 'admin',
    tag: 'Hosting',
    summary: 'the vendors whose twins a world can be made with',
    answers: { 200: { description: 'sorted', schema: object({ vendors: list(TEXT) }) }, ...NOT_ADMIN },
    run: (_body, { around }) => json(200, { vendors: around.worlds.vendors() }),
  },
];
