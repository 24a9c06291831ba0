// A request at the address of a site of the world's (4.3): who was let in there by a pass of its own reaches the vendor's twin
// with the pages' own words, after the state of the browser that the address names was loaded. Nothing of the world's own
// endpoints is served here, so that a vendor's page, whatever it runs, is in nobody's origin but its own.
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { RequestBudget } from '../world/access/budget.ts';
import type { BrowserState } from '../world/browsers/browsers.ts';
import { isLoadedAt, languageOf } from '../world/browsers/loading.ts';
import type { World } from '../world/world.ts';
import { type Asker, judgeVendorCall, NOT_SAME_ORIGIN, scopeOf } from './access.ts';
import { problem, RETRY_SECONDS } from './answer.ts';
import type { AnswersInFlight } from './answers-in-flight.ts';
import { type Arrived, type ReadHeaders, readHeaders } from './arrived.ts';
import { headersFromPage } from './gate.ts';
import type { Visit } from './route.ts';
import type { Admission } from './site.ts';
import { headersAtVendor, isAdmitted, isNavigation, replyAtSite } from './site-exchange.ts';
import { bootstrapPage, enterSite, OWN_PLACE, ownAnswer } from './site-loading.ts';
import { notOpenPage, refusalAtSite } from './site-refusals.ts';
import type { Surroundings } from './surroundings.ts';
import { parseTarget, type Target } from './target.ts';
import type { Tracer } from './trace.ts';
import type { SiteSeat, VendorSites } from './vendor-sites.ts';

export type SiteParts = {
  readonly world: World;
  readonly around: Surroundings;
  readonly sites: VendorSites;
  readonly budget: RequestBudget | null;
  readonly tracer: Tracer;
  readonly inFlight: AnswersInFlight;
  /** Asks the vendor's twin, as its own place in the world would. */
  readonly ask: (vendor: string, visit: Visit, call: Call) => Reply | Promise<Reply>;
  readonly tooLarge: () => Reply;
};

/** One request at a site, as far as its head tells. */
type AtSite = {
  readonly arrived: Arrived;
  readonly seat: SiteSeat;
  readonly read: ReadHeaders;
  readonly target: Target;
  readonly parts: SiteParts;
};

export function admitAtSite(arrived: Arrived, seat: SiteSeat | 'nowhere', parts: SiteParts): Admission {
  const read = readHeaders(arrived.rawHeaders);
  const no = (status: number, code: string, message: string): Admission =>
    answered(refusalAtSite(read, status, code, message));
  if (seat === 'nowhere')
    return no(404, 'no-such-site', 'The world has no site at this address; see its board for those it has.');
  const target = parseTarget(arrived.target);
  if (target === null) return no(400, 'bad-target', 'The request target cannot be read unambiguously.');
  if (read.doubled !== null) return no(400, 'doubled-header', `The header ${read.doubled} came twice.`);
  const at: AtSite = { arrived, seat, read, target, parts };
  if (!isAdmitted(arrived.method, read.headers))
    return no(403, NOT_SAME_ORIGIN.ok ? '' : NOT_SAME_ORIGIN.code, FROM_ELSEWHERE);
  if (target.path === `${OWN_PLACE}enter`)
    return answered(enterSite(arrived.method, seat, target, read, parts));
  const asker = parts.around.gate.atSite(read, seat.label);
  if (asker === null)
    return isNavigation(arrived.method, read.headers)
      ? answered(notOpenPage(parts, seat, arrived.target, read))
      : no(401, 'unauthenticated', NOT_OPEN);
  const wait = parts.budget?.take() ?? 0;
  if (wait > 0)
    return no(
      429,
      'over-budget',
      `The world is asked more than its request budget allows; ask again in ${wait} s.`,
    );
  if (target.path.startsWith(OWN_PLACE)) {
    const answer = async (): Promise<Reply> => {
      const state = await stateOf(seat, parts.around);
      return ownAnswer(
        { method: arrived.method, seat, target, state: state?.ok === true ? state : null, read },
        parts,
      );
    };
    return { at: 'admitted', answer, tooLarge: parts.tooLarge, inFlight: parts.inFlight };
  }
  return admitToTwin(at, asker);
}

const FROM_ELSEWHERE =
  'At a site of the world, pages come from a link of the world’s or the address bar, and everything else from the site’s own page: Sec-Fetch-Site says otherwise.';
const NOT_OPEN = 'This site is not open here; open it from the world’s page.';

function admitToTwin(at: AtSite, asker: Asker): Admission {
  const { arrived, seat, read, target, parts } = at;
  const { world, sites, inFlight, around } = parts;
  const vendor = sites.vendorAt(seat.site, target.path);
  if (vendor === null)
    return answered(
      refusalAtSite(read, 404, 'unclaimed-path', 'No twin of this world serves this path of the host.'),
    );
  const judged = (who: Asker | null) =>
    judgeVendorCall(who, arrived.method, world.manifest(vendor)?.requestScopes?.includes('read') ?? false);
  const verdict = judged(asker);
  if (!verdict.ok) return answered(refusalAtSite(read, verdict.status, verdict.code, verdict.message));
  const visit: Visit = {
    params: { vendor, path: target.path },
    asker,
    presented: null,
    around,
    arrived,
    head: read,
    stands: () => judged(around.gate.atSite(read, seat.label)).ok,
  };
  const answer = async (body: Uint8Array): Promise<Reply> => {
    if (inFlight.full)
      return problem(503, 'answers-unread', 'Answers of this world are unread; ask again.', {
        headers: [['retry-after', String(RETRY_SECONDS)]],
      });
    const state = await stateOf(seat, around);
    if (state !== null && !state.ok) return refusalAtSite(read, state.status, state.code, state.message);
    if (isNavigation(arrived.method, read.headers) && awaitsState(seat, state, read))
      return bootstrapPage(seat, around.ownOrigin!);
    const reply = await parts.ask(vendor, visit, callOf(at, asker, state, body));
    return replyAtSite(reply, seat, sites, around.ownOrigin!);
  };
  return { at: 'admitted', answer, tooLarge: parts.tooLarge, inFlight };
}

/** Rule 4: once per version of the state, and only where there is something to do. */
function awaitsState({ site }: SiteSeat, state: BrowserState | null, read: ReadHeaders): boolean {
  return state !== null && read.state !== state.version && isLoadedAt(state.profile, state.left, site.host);
}

function callOf(
  { arrived, seat, read, target, parts }: AtSite,
  asker: Asker,
  state: BrowserState | null,
  body: Uint8Array,
): Call {
  const { site } = seat;
  const language = state === null ? null : languageOf(state.profile);
  const own = read.headers['host'];
  return {
    method: arrived.method,
    host: site.real ? site.host : typeof own === 'string' ? own : '',
    via: site.real ? 'host' : 'url',
    path: target.path,
    query: target.query,
    headers: headersAtVendor(headersFromPage(read.headers, parts.around.gate), seat, language),
    body,
    caller: asker.caller,
    scope: scopeOf(asker, arrived.method, read.headers['sec-fetch-site']),
    may: asker.scope,
    letIn: true,
    trace: parts.tracer.open(read.headers['traceparent']),
  };
}

type NoState = {
  readonly ok: false;
  readonly status: 404 | 409;
  readonly code: string;
  readonly message: string;
};

/** Null for the plain copy, which has none. */
async function stateOf({ browser }: SiteSeat, around: Surroundings): Promise<BrowserState | NoState | null> {
  if (browser === null) return null;
  const state = await around.browsers.state(browser);
  if (state === null)
    return {
      ok: false,
      status: 404,
      code: 'no-such-browser',
      message: `The world has no browser “${browser}”.`,
    };
  return state.ok ? state : { ok: false, status: 409, code: state.why, message: state.message };
}

function answered(reply: Reply): Admission {
  return { at: 'answered', reply };
}
