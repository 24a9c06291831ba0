// A request's way through the world's endpoints: target → route → who asks → may they → body → answer. Two
// steps, so that a host reads a body only when somebody may send it. This is where a thrown bug ends: it is
// logged and answered 500, and the process goes on.
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import { parseCredential } from '../world/credential.ts';
import { describeFault } from '../world/fault.ts';
import { REQUEST_BODY_BYTES_MAX } from '../world/limits.ts';
import { TOKEN_PREFIX } from '../world/token.ts';
import type { World } from '../world/world.ts';
import { type Asker, judge, judgeVendorCall } from './access.ts';
import { problem } from './answer.ts';
import { type Arrived, type ReadHeaders, readHeaders } from './arrived.ts';
import type { Visit } from './route.ts';
import { type Match, Router } from './router.ts';
import { routes } from './routes.ts';
import type { Surroundings } from './surroundings.ts';
import { parseTarget } from './target.ts';
import { Tracer } from './trace.ts';

export type Admission =
  /** Answered without its body; the host discards what there is of it. */
  | { readonly at: 'answered'; readonly reply: Reply }
  | {
      readonly at: 'admitted';
      /** `body` is whole. Never throws, never rejects. */
      readonly answer: (body: Uint8Array) => Reply | Promise<Reply>;
      /** What a body over `REQUEST_BODY_BYTES_MAX` gets. */
      readonly tooLarge: () => Reply;
    };

type Found = Extract<Match, { at: 'route' }>;

/** Who a call through the world's own proxy is when it says nothing else (4.9). */
const THROUGH_PROXY: Asker = { by: 'token', scope: 'write', caller: 'token' };

type Identity = { readonly asker: Asker | null; readonly credential: string | null };

const NOBODY: Identity = { asker: null, credential: null };

const ANONYMOUS: Identity = { asker: THROUGH_PROXY, credential: null };

const OURS = Object.values(TOKEN_PREFIX);

export class Site {
  readonly #world: World;
  readonly #around: Surroundings;
  readonly #router: Router;
  readonly #tracer: Tracer;

  constructor(world: World, around: Surroundings) {
    this.#world = world;
    this.#around = around;
    this.#router = new Router(routes, world.name);
    this.#tracer = new Tracer(around.entropy);
  }

  admit(arrived: Arrived): Admission {
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
    const { asker, credential } = this.#identify(read, through);
    const verdict =
      found.route.access === 'vendor'
        ? judgeVendorCall(asker, arrived.method, this.#enforcesRead(found))
        : judge(found.route.access, asker);
    if (!verdict.ok) return answered(this.#refuse(found, verdict.status, verdict.code, verdict.message));
    const { path, query } = target;
    const visit: Visit = { params: found.params, asker, presented: credential, around: this.#around };
    const answer = (body: Uint8Array): Reply | Promise<Reply> =>
      this.#run(found, visit, {
        method: arrived.method,
        host: through ? host : only(read.headers['host']),
        via: through ? 'host' : 'url',
        path,
        query,
        headers: read.headers,
        body,
        caller: asker?.caller ?? null,
        scope: asker?.scope ?? 'read',
        trace: this.#tracer.open(read.headers['traceparent']),
      });
    return { at: 'admitted', answer, tooLarge: () => this.#tooLarge(found) };
  }

  #run(found: Found, visit: Visit, call: Call): Reply | Promise<Reply> {
    try {
      const reply = found.route.run(call, this.#world, visit);
      return reply instanceof Promise ? reply.catch(error => this.#failed(found, error)) : reply;
    } catch (error) {
      return this.#failed(found, error);
    }
  }

  #failed(found: Found, error: unknown): Reply {
    const { method, path } = found.route;
    this.#around.log.error(
      { fault: describeFault(error), route: `${method} ${path}` },
      'a request ended in a bug',
    );
    return this.#refuse(found, 500, 'internal', 'The world failed on this request; its log says why.');
  }

  #tooLarge(found: Found): Reply {
    const mebibytes = REQUEST_BODY_BYTES_MAX / 1024 / 1024;
    return this.#refuse(found, 413, 'body-too-large', `A request body is at most ${mebibytes} MB.`);
  }

  #identify(read: ReadHeaders, through: boolean): Identity {
    const shown = parseCredential(read.credentials);
    if (shown.by === 'nothing') return through ? ANONYMOUS : NOBODY;
    if (shown.by === 'unreadable') return NOBODY;
    const credential = shown.secret.reveal();
    const asker = this.#around.whose(credential);
    if (asker) return { asker, credential };
    // Through the proxy a vendor's own key is the usual Authorization. One that is surely ours and no longer
    // good opens nothing, or a revoked read-only key would come back as write access.
    const vendors = shown.by === 'authorization' && !OURS.some(prefix => credential.startsWith(prefix));
    return through && vendors ? ANONYMOUS : NOBODY;
  }

  #enforcesRead(found: Found): boolean {
    return this.#world.manifest(found.params['vendor']!)?.requestScopes?.includes('read') ?? false;
  }

  /** On a vendor's path an SDK reads the answer, so it is in the vendor's own shape where there is a twin. */
  #refuse(found: Found, status: number, code: string, message: string): Reply {
    const vendor = found.route.access === 'vendor' ? found.params['vendor'] : undefined;
    const reply = vendor === undefined ? null : this.#around.vendorError(vendor, status, code, message);
    if (reply) return reply;
    const headers = status === 401 ? [['www-authenticate', 'Bearer realm="wrld world"'] as const] : [];
    return problem(status, code, message, { headers });
  }
}

function answered(reply: Reply): Admission {
  return { at: 'answered', reply };
}

function only(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
