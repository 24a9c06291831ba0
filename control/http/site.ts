// A request's way through the world's endpoints: target → route → who asks → may they → body → answer. Two
// steps, so that a host reads a body only when somebody may send it. This is where a thrown bug ends: it is
// logged and answered 500, and the process goes on.
import type { Call } from '../../twins/kit/call.ts';
import { type Reply, withRetryAfter } from '../../twins/kit/reply.ts';
import type { RequestBudget } from '../world/access/budget.ts';
import { REQUEST_BODY_BYTES_MAX } from '../world/limits.ts';
import { BlobError } from '../world/store/blob-store.ts';
import { describeFault, isStoreFailure, storeLoss } from '../world/store/fault.ts';
import type { KeptSocket } from '../world/work/open-socket.ts';
import type { World } from '../world/world.ts';
import {
  type Asker,
  isCounted,
  judge,
  judgeCarried,
  judgeVendorCall,
  MAY,
  scopeOf,
  type Verdict,
} from './access.ts';
import { problem, RETRY_SECONDS } from './answer.ts';
import { AnswersInFlight } from './answers-in-flight.ts';
import { type Arrived, hostOf, type ReadHeaders, readHeaders } from './arrived.ts';
import { admitAtSite } from './at-site.ts';
import { forTab, tabAsk } from './from-tab.ts';
import { headersForTwins, type Identity } from './gate.ts';
import { admitLink, linkTarget } from './link.ts';
import type { Visit } from './route.ts';
import { type Match, Router } from './router.ts';
import { routes } from './routes.ts';
import { signInPage } from './sign-in.ts';
import type { Surroundings } from './surroundings.ts';
import { parseTarget, type Target } from './target.ts';
import { Tracer } from './trace.ts';
import { admitUpgrade, openStream, overBudget, type Stream, type UpgradeAdmission } from './upgrade.ts';
import { vendor as vendorRoutes } from './vendor.ts';
import { VendorSites } from './vendor-sites.ts';

export type Admission =
  /** Answered without its body; the host discards what there is of it. */
  | { readonly at: 'answered'; readonly reply: Reply }
  | {
      readonly at: 'admitted';
      /** `body` is whole. Never throws, never rejects. */
      readonly answer: (body: Uint8Array) => Reply | Promise<Reply>;
      /** What a body over `REQUEST_BODY_BYTES_MAX` gets. */
      readonly tooLarge: () => Reply;
      /** The world's; the answer is counted in it while it is sent. */
      readonly inFlight: AnswersInFlight;
    }
  | {
      /** To a link's vendor (4.7), of any size both ways. */
      readonly at: 'forwarded';
      /** `body` is read no faster than the vendor takes it; `gone`: the client is. Never throws, never rejects. */
      readonly forward: (body: AsyncIterable<Uint8Array> | null, gone: AbortSignal) => Promise<Reply>;
      readonly inFlight: AnswersInFlight;
    };

const BYTES_AWAY = 'Bytes that this needs cannot be fetched now from where they are kept; ask again.';
const UNREAD =
  'The clients of this world have not read what it answered them already; read those answers, or ask again.';

const DAMAGED = 'The world’s store is damaged. Nothing was changed; `wrld world check` says what is whole.';

type Found = Extract<Match, { at: 'route' }>;

/** What a site's address stands for in the world. */
const VENDOR_ROUTE = vendorRoutes[0]!;

export class Site {
  readonly #world: World;
  readonly #around: Surroundings;
  readonly #budget: RequestBudget | null;
  readonly #router: Router;
  readonly #tracer: Tracer;
  readonly #inFlight = new AnswersInFlight();
  readonly #sites: VendorSites;

  /** `budget`: null for none (a local world). */
  constructor(world: World, around: Surroundings, budget: RequestBudget | null = null) {
    this.#world = world;
    this.#budget = budget;
    this.#around = around;
    this.#router = new Router(routes, world.name);
    this.#tracer = new Tracer(around.entropy);
    this.#sites = new VendorSites(world, around);
  }

  /** `<org>/<world>`. */
  get world(): string {
    return this.#world.name;
  }

  /** The host, with its port, of the world's own origin (5.3-2); null where the host gives it none. */
  get ownHost(): string | null {
    const { ownOrigin } = this.#around;
    return ownOrigin === null ? null : new URL(ownOrigin).host;
  }

  admit(arrived: Arrived): Admission {
    const seat = this.#seatOf(arrived);
    if (seat !== null) return this.#admitAtSite(arrived, seat);
    const tab = arrived.from === 'client' ? tabAsk(arrived) : null;
    if (tab === null) return this.#admit(arrived);
    if (tab.at === 'preflight') return answered(tab.reply);
    return forTab(this.#admit(arrived), tab, this.#world, this.#around.baseUrl);
  }

  #admit(arrived: Arrived): Admission {
    const cameAt = performance.now();
    const target = parseTarget(arrived.target);
    if (!target)
      return answered(problem(400, 'bad-target', 'The request target cannot be read unambiguously.'));
    const found = this.#router.match(arrived.method, target.path);
    if (found.at === 'nothing') {
      return answered(problem(404, 'no-such-endpoint', 'Nothing is served at this path.'));
    }
    if (found.at === 'other-method') {
      const message = `This path takes ${found.allow}.`;
      return answered(problem(405, 'other-method', message, { headers: [['allow', found.allow]] }));
    }
    const read = readHeaders(arrived.rawHeaders);
    if (read.doubled !== null) {
      return answered(this.#refuse(found, 400, 'doubled-header', `The header ${read.doubled} came twice.`));
    }
    // Only the proxy's own channel may say for which host it asks, and is let in for that (see Arrived.from).
    const host = arrived.from === 'proxy' ? read.host : undefined;
    const through = host !== undefined && found.route.access === 'vendor';
    const asked = through ? host : this.#vendorHost(found, read);
    // The origin is put together anew each time, and only a session is a matter of it.
    const identify = (): Identity => {
      const ownOrigin = read.session === null ? null : this.#around.ownOrigin;
      return this.#around.gate.identify(read, through ? 'app' : arrived.from, ownOrigin);
    };
    const identity = identify();
    if (found.route.access === 'vendor' && !through && this.#isLink(found))
      return this.#admitLink(found, target, arrived, identity);
    const { asker, credential } = identity;
    const site = read.headers['sec-fetch-site'];
    const judged = (who: Asker | null): Verdict => {
      const verdict =
        found.route.access === 'vendor'
          ? judgeVendorCall(who, arrived.method, this.#enforcesRead(found))
          : judge(found.route.access, who);
      // A route that asks for no credential is opened by none, a session's included.
      if (!verdict.ok || MAY[found.route.access] === null) return verdict;
      return judgeCarried(who, arrived.method, site);
    };
    const verdict = judged(asker);
    if (!verdict.ok) return answered(this.#signIn(found, read, target) ?? this.#refused(found, verdict));
    const counted = isCounted(found.route.access);
    const wait = counted ? (this.#budget?.take() ?? 0) : 0;
    if (wait > 0) return answered(this.#overBudget(found, wait));
    const { path, query } = target;
    const stands = (): boolean => judged(identify().asker).ok;
    const visit: Visit = {
      params: found.params,
      asker,
      presented: credential,
      around: this.#around,
      arrived,
      head: read,
      stands,
    };
    const answer = (body: Uint8Array): Reply | Promise<Reply> => {
      // Not before the body is here: many may be on their way at once.
      if (counted && this.#inFlight.full) return this.#unread(found);
      return this.#run(found, visit, {
        method: arrived.method,
        host: asked ?? only(read.headers['host']),
        via: asked === null ? 'url' : 'host',
        path,
        query,
        headers: headersForTwins(read.headers, credential),
        body,
        caller: asker?.caller ?? null,
        scope: scopeOf(asker, arrived.method, site),
        may: asker?.scope ?? 'read',
        letIn: credential !== null || asker?.by === 'session',
        trace: this.#tracer.open(read.headers['traceparent']),
        cameAt,
      });
    };
    return { at: 'admitted', answer, tooLarge: () => this.#tooLarge(found), inFlight: this.#inFlight };
  }

  /** At the address of one of its sites; null anywhere else. The proxy's Host is the vendor's, and names none. */
  #seatOf(arrived: Arrived): ReturnType<VendorSites['seatAt']> {
    if (arrived.from !== 'client') return null;
    const host = hostOf(arrived.rawHeaders);
    // Each of them has a world's label in it.
    return host.includes('--') ? this.#sites.seatAt(host) : null;
  }

  #admitAtSite(arrived: Arrived, seat: NonNullable<ReturnType<VendorSites['seatAt']>>): Admission {
    const found = (vendor: string): Found => ({ at: 'route', route: VENDOR_ROUTE, params: { vendor } });
    return admitAtSite(arrived, seat, {
      world: this.#world,
      around: this.#around,
      sites: this.#sites,
      budget: this.#budget,
      tracer: this.#tracer,
      inFlight: this.#inFlight,
      ask: (vendor, visit, call) => this.#run({ ...found(vendor), params: visit.params }, visit, call),
      tooLarge: () => this.#tooLarge(found('')),
    });
  }

  /** Null for what is no page that somebody opens; whoever reads opens each of them. */
  #signIn({ route }: Found, read: ReadHeaders, target: Target): Reply | null {
    return signInPage(route, read, target, { world: this.#world.name, around: this.#around });
  }

  #refused(found: Found, { status, code, message }: Extract<Verdict, { ok: false }>): Reply {
    return this.#refuse(found, status, code, message);
  }

  /** One of the vendor's own hosts, where who asks by its URL here says which: paths of two may be the same. */
  #vendorHost({ route, params }: Found, { vendorHost }: ReadHeaders): string | null {
    if (vendorHost === undefined || route.access !== 'vendor') return null;
    const hosts = this.#world.manifest(params['vendor']!)?.hosts ?? [];
    return hosts.some(({ host }) => host === vendorHost) ? vendorHost : null;
  }

  /** Asked of what is no twin alone. */
  #isLink({ params }: Found): boolean {
    const name = params['vendor']!;
    return this.#world.manifest(name) === undefined && this.#world.real.links.originOf(name) !== null;
  }

  #admitLink({ params }: Found, { query }: Target, arrived: Arrived, identity: Identity): Admission {
    const wait = this.#budget?.take() ?? 0;
    if (wait > 0) return answered(overBudget(this.#around, null, wait));
    const target = linkTarget(params['path']!, query);
    const parts = { world: this.#world, tracer: this.#tracer, inFlight: this.#inFlight };
    return admitLink({ ...parts, name: params['vendor']!, target, arrived, identity });
  }

  /** As `admit`, for who asks to switch from HTTP to a WebSocket. `again`: one that was put away. */
  upgrade(arrived: Arrived, again: KeptSocket | null = null): UpgradeAdmission {
    return admitUpgrade(arrived, { ...this.#parts, again });
  }

  /** The stream of one of the world's TCP twins; null when it has none of that id. */
  stream(vendor: string, id: string): Stream | null {
    return openStream(this.#parts, vendor, id);
  }

  get #parts(): Parameters<typeof admitUpgrade>[1] {
    return {
      world: this.#world,
      around: this.#around,
      budget: this.#budget,
      tracer: this.#tracer,
      sites: this.#sites,
    };
  }

  #run(found: Found, visit: Visit, call: Call): Reply | Promise<Reply> {
    try {
      const observedAt = this.#observedAt(found);
      const reply = found.route.run(call, this.#world, visit);
      if (!(reply instanceof Promise)) return observed(reply, observedAt);
      const answer = observedAt === null ? reply : reply.then(said => observed(said, observedAt));
      const whole = answer.catch(error => this.#failed(found, error));
      return visit.asker?.by === 'session' ? whole.then(unshared) : whole;
    } catch (error) {
      return this.#failed(found, error);
    }
  }

  /** 5.5, of a vendor's API; null where the answer says nothing of it. */
  #observedAt({ route, params }: Found): string | null {
    return route.access === 'vendor' ? this.#world.roots.observedAt(params['vendor']!) : null;
  }

  #failed(found: Found, error: unknown): Reply {
    const { method, path } = found.route;
    const route = `${method} ${path}`;
    if (isStoreFailure(error)) {
      const { fault, damaged, because } = storeLoss(error);
      this.#around.log.error({ fault, route }, `the store failed; nothing was changed${because}`);
      if (damaged) return this.#refuse(found, 500, 'store-damaged', DAMAGED);
      const why = `The world could not keep this${because}. Nothing was changed.`;
      return this.#refuse(found, 500, 'store-failed', why);
    }
    if (error instanceof BlobError && error.code === 'unreachable') {
      this.#around.log.error({ fault: describeFault(error), route }, 'bytes could not be fetched');
      return withRetryAfter(this.#refuse(found, 503, 'blob-unreachable', BYTES_AWAY), RETRY_SECONDS);
    }
    this.#around.log.error({ fault: describeFault(error), route }, 'a request ended in a bug');
    return this.#refuse(found, 500, 'internal', 'The world failed on this request; its log says why.');
  }

  #tooLarge(found: Found): Reply {
    const mebibytes = REQUEST_BODY_BYTES_MAX / 1024 / 1024;
    return this.#refuse(found, 413, 'body-too-large', `A request body is at most ${mebibytes} MB.`);
  }

  #unread(found: Found): Reply {
    return withRetryAfter(this.#refuse(found, 503, 'answers-unread', UNREAD), RETRY_SECONDS);
  }

  #overBudget(found: Found, seconds: number): Reply {
    const vendor = found.route.access === 'vendor' ? (found.params['vendor'] ?? null) : null;
    return overBudget(this.#around, vendor, seconds);
  }

  #enforcesRead(found: Found): boolean {
    return this.#world.manifest(found.params['vendor']!)?.requestScopes?.includes('read') ?? false;
  }

  /** On a vendor's path an SDK reads the answer, so it is in the vendor's own shape where there is a twin. */
  #refuse(found: Found, status: number, code: string, message: string): Reply {
    const vendor = found.route.access === 'vendor' ? found.params['vendor'] : undefined;
    const reply = vendor === undefined ? null : this.#around.vendorError(vendor, status, code, message);
    if (reply) return observed(reply, this.#observedAt(found));
    const headers = status === 401 ? [['www-authenticate', 'Bearer realm="wrld world"'] as const] : [];
    return problem(status, code, message, { headers });
  }
}

/** What a session carried is for the world's own page alone: a vendor's answer may say that any origin may read it. */
function unshared(reply: Reply): Reply {
  const headers = reply.headers.filter(([name]) => !/^access-control-/i.test(name));
  return headers.length === reply.headers.length ? reply : { ...reply, headers };
}

/** With the instant at which the real vendor was last seen whole (5.5). */
function observed(reply: Reply, at: string | null): Reply {
  return at === null ? reply : { ...reply, headers: [...reply.headers, ['x-wrld-observed-at', at]] };
}

function answered(reply: Reply): Admission {
  return { at: 'answered', reply };
}

function only(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
