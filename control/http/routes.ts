// Every route of a world, and what the documents tell of.
import { blobs } from './blobs.ts';
import { board } from './board.ts';
import { branches } from './branches.ts';
import { browsers } from './browsers.ts';
import { calls } from './calls.ts';
import { changesets } from './changesets.ts';
import { checkpoint } from './checkpoint.ts';
import { checks } from './checks.ts';
import { clock } from './clock.ts';
import { conversations } from './conversations.ts';
import { coverage } from './coverage.ts';
import { credentials } from './credentials.ts';
import { deploy } from './deploy.ts';
import { diff } from './diff.ts';
import { due } from './due.ts';
import { events } from './events.ts';
import { find } from './find.ts';
import { history } from './history.ts';
import { ingest } from './ingest.ts';
import { keys } from './keys.ts';
import { links } from './links.ts';
import { log } from './log.ts';
import { map } from './map.ts';
import { openApiRoute } from './openapi.ts';
import { origin } from './origin.ts';
import { pages } from './page.ts';
import { push } from './push.ts';
import { recordings } from './recordings.ts';
import { records } from './records.ts';
import { reference } from './reference.ts';
import { refusals } from './refusals.ts';
import { report } from './report.ts';
import { requests } from './requests.ts';
import { reset } from './reset.ts';
import { roots } from './roots.ts';
import { rotate } from './rotate.ts';
import type { Documented, Route } from './route.ts';
import { rules } from './rules.ts';
import { runs } from './runs.ts';
import { savepoint } from './savepoint.ts';
import { session } from './session.ts';
import { sitePages } from './site-pages.ts';
import { story, storyOfRecords } from './story.ts';
import { tab } from './tab.ts';
import { timeline } from './timeline.ts';
import { twins } from './twins.ts';
import { twinEndpoints, vendor } from './vendor.ts';
import { webhooks } from './webhooks.ts';
import { wellKnown } from './well-known.ts';
import { worldPage } from './world-page.ts';

export const routes: readonly Route[] = [
  ...pages,
  ...worldPage,
  ...reference,
  openApiRoute(() => documented),
  ...wellKnown,
  ...tab,
  ...log,
  ...checkpoint,
  ...history,
  ...diff,
  ...changesets,
  ...rules,
  ...credentials,
  ...ingest,
  ...checks,
  ...links,
  ...recordings,
  ...push,
  ...deploy,
  ...origin,
  ...blobs,
  ...timeline,
  ...story,
  ...storyOfRecords,
  ...find,
  ...webhooks,
  ...conversations,
  ...requests,
  ...report,
  ...records,
  ...coverage,
  ...calls,
  ...clock,
  ...due,
  ...branches,
  ...events,
  ...browsers,
  ...sitePages,
  ...board,
  ...map,
  ...twins,
  ...roots,
  ...refusals,
  ...runs,
  ...session,
  ...keys,
  ...rotate,
  ...savepoint,
  ...reset,
  ...vendor,
];

/** With what every twin answers at its own place. */
export const documented: readonly Documented[] = [...routes, ...twinEndpoints];
