// What a site's address answers in the twin's place: a page to somebody who looks at one, JSON to a script.
import type { Reply } from '../../twins/kit/reply.ts';
import type { World } from '../world/world.ts';
import { escapeText, page, problem } from './answer.ts';
import type { ReadHeaders } from './arrived.ts';
import type { Surroundings } from './surroundings.ts';
import type { SiteSeat } from './vendor-sites.ts';

export function refusalAtSite(read: ReadHeaders, status: number, code: string, message: string): Reply {
  if (read.headers['sec-fetch-mode'] !== 'navigate') return problem(status, code, message);
  return {
    ...page(
      TITLES[status] ?? 'Not here',
      `<h1>${TITLES[status] ?? 'Not here'}</h1>\n<p>${escapeText(message)}</p>`,
    ),
    status,
  };
}

const TITLES: { readonly [status: number]: string } = {
  400: 'This cannot be read',
  401: 'Not open',
  403: 'Not from here',
  404: 'Nothing is here',
  409: 'This browser cannot be used',
  429: 'Too many requests',
};

/** `target`: what was asked for, where the way through the board leads. */
export function notOpenPage(
  { world, around }: { readonly world: Pick<World, 'name'>; readonly around: Surroundings },
  { site, browser }: SiteSeat,
  target: string,
  read: ReadHeaders,
): Reply {
  const open = new URLSearchParams({
    open: site.host,
    ...(browser === null ? {} : { browser }),
    land: target,
  });
  const href = `${around.ownOrigin}/-/${world.name}/board?${open}`;
  // In a frame of the board, the board is opened beside it.
  const beside = read.headers['sec-fetch-dest'] === 'document' ? '' : ' target="_blank" rel="noopener"';
  const who = browser === null ? '' : ` as ${browser}`;
  const reply = page(
    `${site.host} is not open`,
    `<h1>${escapeText(site.host)} is not open here</h1>
<p>This is a page of the world ${escapeText(world.name)}${who === '' ? '' : `, for its browser <strong>${escapeText(browser ?? '')}</strong>`}. Each site is opened from the world’s own page, and stays open until your session there ends.</p>
<p><a href="${escapeText(href)}"${beside}>Open it${escapeText(who)}</a></p>`,
  );
  return { ...reply, status: 401 };
}
