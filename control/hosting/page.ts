// The pages that a host has for whoever opens its address in a browser. They name no world.
import { page } from '../http/answer.ts';
import { refusalsPage } from '../http/reference.ts';
import type { AdminRoute } from './admin-route.ts';

const HOST_PAGE = page(
  'wrld',
  `<h1>wrld</h1>
<p>Worlds are served here, each at its own URL: <code>/&lt;org&gt;/&lt;world&gt;</code>.</p>
<p><a href="/-/console/">The console</a>, for whoever has the admin token</p>
<p><a href="/reference/refusals">Every refusal, and its fix</a></p>`,
);

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
