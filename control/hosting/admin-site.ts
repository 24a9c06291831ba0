// What a host of many worlds answers where no world is meant (4.10). The admin token opens its endpoints, and nothing
// else does: no world's token, no session, no cookie. A request that names no world that is here ends here too.
import type { Reply } from '../../twins/kit/reply.ts';
import { json, problem } from '../http/answer.ts';
import { AnswersInFlight } from '../http/answers-in-flight.ts';
import { type Arrived, type ReadHeaders, readHeaders } from '../http/arrived.ts';
import { openApi } from '../http/openapi.ts';
import { Router } from '../http/router.ts';
import type { Admission } from '../http/site.ts';
import type { ServedSite } from '../http/sites.ts';
import { parseTarget } from '../http/target.ts';
import type { Stream, UpgradeAdmission } from '../http/upgrade.ts';
import { parseCredential } from '../world/access/credential.ts';
import { REQUEST_BODY_BYTES_MAX } from '../world/limits.ts';
import { describeFault } from '../world/store/fault.ts';
import type { AdminRoute, AdminVisit } from './admin-route.ts';
import type { HostAround } from './host-worlds.ts';
import { adminRoutes, importingRoutes } from './routes.ts';

/** In the place of a world's name, which always has a slash. */
export const HOST_NAME = '-';

const NO_SUCH_WORLD = problem(404, 'no-such-world', 'No world of that name is served here.');
const NOTHING = problem(404, 'no-such-endpoint', 'Nothing is served at this path.');
const UNREADABLE = problem(400, 'bad-target', 'The request target cannot be read unambiguously.');
/** Names a world, in either form of a world's paths. */
const OF_A_WORLD = /^\/(?:-\/)?[^/]+\/[^/]+/;
const BEARER = /^\s*bearer /i;
/** Paths of the host's own, whatever their second part is. */
export const OF_THE_HOST: RegExp = /^\/-\/(?:worlds|vendors|console)(?:\/|$)/;

export class AdminSite implements ServedSite {
  readonly world = HOST_NAME;
  readonly ownHost = null;
  readonly #around: HostAround;
  readonly #router: Router<AdminRoute>;
  readonly #inFlight = new AnswersInFlight();
  readonly #routes: readonly AdminRoute[];
  readonly #unauthenticated: Reply;

  constructor(around: HostAround) {
    this.#around = around;
    this.#routes = around.worlds.import === undefined ? adminRoutes : importingRoutes;
    this.#router = new Router<AdminRoute>([...this.#routes, this.#document()]);
    this.#unauthenticated = unauthenticated(around.adminTokenPlace);
  }

  admit(arrived: Arrived): Admission {
    const target = parseTarget(arrived.target);
    if (target === null) return answered(UNREADABLE);
    const read = readHeaders(arrived.rawHeaders);
    const { host } = read.headers;
    if (typeof host === 'string' && this.#around.isWorldHost(host)) return answered(NO_SUCH_WORLD);
    const found = this.#router.match(arrived.method, target.path);
    if (found.at === 'nothing') {
      const named = OF_A_WORLD.test(target.path) && !OF_THE_HOST.test(target.path);
      return answered(named ? NO_SUCH_WORLD : NOTHING);
    }
    if (found.at === 'other-method')
      return answered(
        problem(405, 'other-method', `This path takes ${found.allow}.`, {
          headers: [['allow', found.allow]],
        }),
      );
    if (read.doubled !== null)
      return answered(problem(400, 'doubled-header', `The header ${read.doubled} came twice.`));
    const { route, params } = found;
    if (route.access === 'admin' && !this.#isAdmin(read)) return answered(this.#unauthenticated);
    return {
      at: 'admitted',
      answer: body => this.#run(route, body, { params, around: this.#around }),
      tooLarge: () =>
        problem(
          413,
          'body-too-large',
          `A request body is at most ${REQUEST_BODY_BYTES_MAX / 1024 / 1024} MB.`,
        ),
      inFlight: this.#inFlight,
    };
  }

  upgrade(): UpgradeAdmission {
    return { at: 'answered', reply: NO_SUCH_WORLD };
  }

  stream(): Stream | null {
    return null;
  }

  /** 5.2-4: `x-wrld-token` or a bearer. */
  #isAdmin({ credentials }: ReadHeaders): boolean {
    if (credentials['x-twins-key'] !== undefined && credentials['x-wrld-token'] === undefined) return false;
    const shown = parseCredential(credentials);
    const { authorization } = credentials;
    if (shown.by === 'authorization' && !(typeof authorization === 'string' && BEARER.test(authorization)))
      return false;
    return 'secret' in shown && this.#around.isAdmin(shown.secret.reveal());
  }

  async #run(route: AdminRoute, body: Uint8Array, visit: AdminVisit): Promise<Reply> {
    try {
      return await route.run(body, visit);
    } catch (error) {
      const where = `${route.method} ${route.path}`;
      this.#around.log.error(
        { fault: describeFault(error), route: where },
        'a request to the host ended in a bug',
      );
      return problem(500, 'internal', 'The host failed on this request; its log says why.');
    }
  }

  #document(): AdminRoute {
    const { baseUrl } = this.#around;
    return {
      method: 'GET',
      path: '/-/openapi.json',
      access: 'open',
      tag: 'Hosting',
      summary: 'the host’s own endpoints in OpenAPI 3.1 (ours)',
      answers: {
        200: { description: 'the document', schema: { type: 'object', description: 'OpenAPI 3.1' } },
      },
      run: () => json(200, openApi(this.#routes, { server: baseUrl, world: null })),
    };
  }
}

function answered(reply: Reply): Admission {
  return { at: 'answered', reply };
}

function unauthenticated(place: string): Reply {
  return problem(
    401,
    'unauthenticated',
    `This needs the admin token of the host: header x-wrld-token, or a bearer. ${place}; a world’s token opens nothing here.`,
    { headers: [['www-authenticate', 'Bearer realm="wrld host"']] },
  );
}
