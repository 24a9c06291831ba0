// The pages that a host has for whoever opens its address in a browser. They name no world.
import { HOST_PAGE } from '../http/page.ts';
import { refusalsPage } from '../http/reference.ts';
import type { AdminRoute } from './admin-route.ts';

export const hostPages: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/',
    access: 'open',
    tag: 'Hosting',
    summary: 'a page that says what is served here',
    answers: { 200: { description: 'a page', type: 'text/html' } },
    run: () => HOST_PAGE,
  },
  {
    method: 'GET',
    path: '/reference/refusals',
    access: 'open',
    tag: 'Hosting',
    summary: 'every rule that refuses, what is missing, and where the fix goes',
    answers: { 200: { description: 'a page', type: 'text/html' } },
    run: () => refusalsPage(),
  },
];
