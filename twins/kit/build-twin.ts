// A twin made of its parts. Every twin that answers over HTTP is built here, in one order: screens, who asks, which
// operation, its body, whether it was asked before, its context, what it does; and whatever is refused on the way is
// written in the vendor's own shape.
import { type Call, type CallHeaders, HIDDEN_CREDENTIAL } from './call.ts';
import type { Features, Generative, Handling, Spoken } from './generative.ts';
import { type Idempotency, once } from './idempotency.ts';
import { Asked, type Operation, type Screen } from './operation.ts';
import { Refusal, RefusedReply } from './refusal.ts';
import type { Reply } from './reply.ts';
import { compileRoutes, type RouteLike, type Router } from './routes.ts';
import type { DueEvent, Twin } from './twin.ts';
import type { Tx } from './tx.ts';

/**
 * `Op` is the vendor's operation, `Request` what the vendor makes of each call before anything else (its id), `Body`
 * the body as the vendor reads it, `Page` what its screens are given.
 */
export type TwinParts<Op extends Operation<Context, Outcome>, Request, Body, Context, Outcome, Page> = Pick<
  Twin,
  'manifest' | 'records' | 'signature' | 'retryAfter' | 'upgrade' | 'resume' | 'keeps' | 'real'
> & {
  readonly operations: readonly Op[];
  /** Those of `operations` that were made from the vendor's declarations. */
  readonly generic?: ReadonlySet<Op>;
  /** Every operation that the vendor has (`GET /v1/depots`): those that are not modelled are told from nonsense. */
  readonly catalog?: readonly string[];
  readonly screens?: Screens<Page>;
  /** HEAD is answered as GET is, without the body; otherwise screens alone answer it. */
  readonly heads?: boolean;
  /** Answers what a browser asks before a page's request; null for any other call. */
  readonly preflight?: (call: Call) => Reply | null;
  readonly request: (asked: Asked) => Request;
  /** Throws a `Refusal` where the vendor would not let the caller in. */
  readonly authenticate?: (call: Call) => void;
  readonly unknown: (call: Call, why: Unknown) => Refusal;
  /** Throws a `Refusal` for a body that cannot be read. */
  readonly body: (asked: Asked, operation: Op) => Body;
  /** For vendors whose `POST`s take a key under which they are done once. */
  readonly idempotency?: Idempotency<Request, Body>;
  readonly context: (asked: Asked, told: Told<Op, Request, Body>) => Context;
  readonly reply: (outcome: Outcome, request: Request, context: Context) => Reply;
  /** The vendor's error; `request` is null for what the world itself refuses in the twin's place. */
  readonly error: (refusal: Refusal, request: Request | null) => Reply;
  /** What becomes of what was written before a refusal; unless said, it is undone. */
  readonly afterWrite?: AfterWrite;
  readonly due?: (event: DueEvent, work: DueWork) => void;
  /** Answers the twin's own wire server: calls `via: 'stream'`. */
  readonly stream?: (call: Call, tx: Tx) => Reply;
  /** For a model's twin: what of a call handlers match. */
  readonly features?: Generative['features'];
  /** For a model's twin: what a call asked, for people. */
  readonly turns?: NonNullable<Generative['turns']>;
};

export type Screens<Page> = {
  readonly list: readonly Screen<Page>[];
  readonly page: (asked: Asked) => Page;
  /** A page that says what went wrong. */
  readonly error: (refusal: Refusal) => Reply;
  /** What is at none of their paths; null leaves it to the operations. */
  readonly none?: (call: Call) => Reply | null;
};

/** Why no operation was found. */
export type Unknown = {
  /** With which methods the path would be known. */
  readonly methods: readonly string[];
  /** The vendor has the operation, and the twin does not model it. */
  readonly catalogued: boolean;
};

export type Told<Op, Request, Body> = {
  readonly operation: Op;
  readonly request: Request;
  readonly body: Body;
};

/**
 * `kept`: the refusal is an outcome, as of a card that declines. `bug`: the vendor's operations refuse before they
 * write, so the call fails and is undone.
 */
export type AfterWrite = (refusal: Refusal) => 'kept' | 'undone' | 'bug';

/** What a due event is handled with. */
export type DueWork = {
  readonly tx: Tx;
  /** Asks this twin as a client would, its handlers first: for the lines of a batch. */
  readonly ask: Handling['ask'];
};

export function buildTwin<Op extends Operation<Context, Outcome>, Request, Body, Context, Outcome, Page>(
  parts: TwinParts<Op, Request, Body, Context, Outcome, Page>,
): Twin {
  const { manifest, records, signature, retryAfter, upgrade, resume, due, stream, features } = parts;
  const operations = compileRoutes(parts.operations);
  const catalog = compileRoutes((parts.catalog ?? []).map(routeOf));
  const screen = parts.screens === undefined ? null : screenDesk(parts.screens, parts.afterWrite);
  const methodOf = ({ method }: Call): string => (parts.heads === true && method === 'HEAD' ? 'GET' : method);

  const work = (asked: Asked, told: Told<Op, Request, Body>): Reply => {
    const before = asked.tx.writes;
    try {
      const context = parts.context(asked, told);
      return parts.reply(told.operation.run(context), told.request, context);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      const reply = parts.error(thrown, told.request);
      if (asked.tx.writes === before) return reply;
      return afterWriting({ ...reply, route: told.operation.path }, thrown, parts.afterWrite);
    }
  };

  const answer = (asked: Asked): Reply => {
    const { call } = asked;
    const request = parts.request(asked);
    let route: string | null = null;
    let reply: Reply;
    try {
      askForKey(call, parts.authenticate);
      const method = methodOf(call);
      const found = operations(method, call.path);
      if (!found.ok) {
        const catalogued = catalog(method, call.path).ok;
        const methods = [...found.methods, ...(screen?.methods(call) ?? [])];
        throw parts.unknown(call, { methods, catalogued });
      }
      const operation = found.route;
      route = operation.path;
      asked.path = found.params;
      const body = parts.body(asked, operation);
      const told = { operation, request, body };
      reply =
        parts.idempotency === undefined || call.method !== 'POST'
          ? work(asked, told)
          : once(parts.idempotency, asked, told, work);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      reply = parts.error(thrown, request);
    }
    return route === null ? reply : { ...reply, route };
  };

  const respond = (call: Call, tx: Tx, heard?: Features | null, spoken: Spoken | null = null): Reply => {
    if (stream !== undefined && call.via === 'stream') return stream(call, tx);
    const asked = new Asked(call, tx, spoken, heard?.body);
    const reply = parts.preflight?.(call) ?? screen?.show(asked) ?? answer(asked);
    return call.method === 'HEAD' && parts.heads === true ? { ...reply, body: null } : reply;
  };

  return {
    manifest,
    records,
    respond: (call, tx, heard) => respond(call, tx, heard),
    models: call =>
      (stream !== undefined && call.via === 'stream') ||
      operations(methodOf(call), call.path).ok ||
      screen?.has(call) === true,
    covers: coveredBy(operations, catalog, parts.generic),
    error: (status, code, message, type) =>
      parts.error(new Refusal(status, code, message, type === undefined ? {} : { type }), null),
    ...(features && {
      generative: {
        features,
        reply: (call, tx, spoken, heard) => respond(call, tx, heard, spoken),
        ...(parts.turns && { turns: parts.turns }),
      },
    }),
    ...(due && { due: (event, tx, handling) => due(event, { tx, ask: handling?.ask ?? respond }) }),
    ...(parts.keeps && { keeps: parts.keeps }),
    ...(parts.real && { real: parts.real }),
    ...(signature && { signature }),
    ...(retryAfter && { retryAfter }),
    ...(upgrade && { upgrade, ...(resume && { resume }) }),
  };
}

function coveredBy<Op extends RouteLike>(
  operations: Router<Op>,
  catalog: Router<RouteLike>,
  generic: ReadonlySet<Op> | undefined,
): NonNullable<Twin['covers']> {
  return ({ method, path }) => {
    const found = operations(method, path);
    if (found.ok) {
      const { route } = found;
      return { route: routeText(route), tier: generic?.has(route) === true ? 'generic' : 'modelled' };
    }
    const known = catalog(method, path);
    return known.ok ? { route: routeText(known.route), tier: 'unmodelled' } : null;
  };
}

/** The answer to a refusal that came after a write; throws where the write is not to stay. */
function afterWriting(reply: Reply, refusal: Refusal, afterWrite?: AfterWrite): Reply {
  switch (afterWrite?.(refusal) ?? 'undone') {
    case 'kept':
      return reply;
    case 'undone':
      throw new RefusedReply(reply);
    case 'bug':
      throw new Error(`refused after a write: ${refusal.message}`);
  }
}

type ScreenDesk = {
  readonly has: (call: Call) => boolean;
  /** With which methods its path would be a screen. */
  readonly methods: (call: Call) => readonly string[];
  /** Null for a call to no screen. */
  readonly show: (asked: Asked) => Reply | null;
};

function screenDesk<Page>(screens: Screens<Page>, afterWrite: AfterWrite | undefined): ScreenDesk {
  const { list, page, error, none } = screens;
  const router = compileRoutes(
    list.flatMap(screen =>
      (screen.posts === true ? ['GET', 'POST'] : ['GET']).map(method => ({
        method,
        path: screen.path,
        screen,
      })),
    ),
  );
  const hosts = new Set(list.map(({ host }) => host));
  /** A screen that names no host may stand at any of the twin's. */
  const stands = (call: Call): boolean => call.via !== 'host' || hosts.has(call.host) || hosts.has(undefined);
  const find = (call: Call) => {
    const found = router(call.method === 'HEAD' ? 'GET' : call.method, call.path);
    if (!found.ok) return null;
    const { host } = found.route.screen;
    return call.via !== 'host' || host === undefined || host === call.host ? found : null;
  };
  return {
    has: call => stands(call) && find(call) !== null,
    methods: call => {
      const found = stands(call) ? router(call.method, call.path) : null;
      return found === null || found.ok ? [] : found.methods;
    },
    show: asked => {
      const { call, tx } = asked;
      if (!stands(call)) return null;
      const found = find(call);
      if (found === null) return none?.(call) ?? null;
      const { screen, path } = found.route;
      asked.path = found.params;
      const before = tx.writes;
      try {
        return { ...screen.run(page(asked)), route: path };
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        const reply = error(thrown);
        return tx.writes === before ? reply : afterWriting({ ...reply, route: path }, thrown, afterWrite);
      }
    },
  };
}

/** Whoever the world's own credential let in is asked for no key of the vendor's (5.2); one that comes must be good. */
function askForKey(call: Call, authenticate: ((call: Call) => void) | undefined): void {
  try {
    authenticate?.(call);
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.status !== 401 || !isKeyless(call)) throw thrown;
  }
}

/** Where a vendor's clients put their key. */
const KEY_FIELDS = ['authorization', 'x-api-key', 'api-key'] as const;

function isKeyless({ headers, letIn }: Call): boolean {
  return letIn === true && KEY_FIELDS.every(name => headers[name] === undefined || isHidden(headers[name]));
}

/** Our own credential, in whichever form it came: the vendor may know that form for none of its own. */
function isHidden(value: CallHeaders[string]): boolean {
  return HIDDEN.some(hidden => typeof value === 'string' && value.endsWith(` ${hidden}`));
}

const HIDDEN = [HIDDEN_CREDENTIAL, btoa(`:${HIDDEN_CREDENTIAL}`)];

const routeText = ({ method, path }: RouteLike): string => `${method} ${path}`;

/** `GET /v1/depots` */
function routeOf(operation: string): RouteLike {
  const [method = '', path = ''] = operation.split(' ');
  return { method, path };
}
