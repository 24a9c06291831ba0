// …/session: how a browser gets in (2.11, 4.8, 5.3). With a token or a read-only key; with a pass of a platform
// that the world trusts; or with nothing, from the world's own page on the machine that serves it.
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import { openerOf } from '../world/access/key.ts';
import type { Secret } from '../world/access/secret.ts';
import type { TokenScope } from '../world/access/token.ts';
import { PASS_SESSION_MS, SESSION_MS } from '../world/limits.ts';
import type { World } from '../world/world.ts';
import { judge } from './access.ts';
import { json, problem } from './answer.ts';
import { isAt } from './gate.ts';
import type { Route, Visit } from './route.ts';
import { TEXT } from './schema.ts';
import { ENDED_COOKIE, sessionCookie } from './session-cookie.ts';
import { failure, ref } from './shapes.ts';

export const session: readonly Route[] = [
  {
    method: 'POST',
    path: '/-/<org>/<world>/session',
    access: 'sign-in',
    tag: 'Access',
    summary:
      'opens a browser’s session, in a cookie: with a token or a read-only key, with a pass, or with nothing from the world’s own page on the machine that serves it',
    headers: {
      'x-wrld-pass': { description: 'a pass of a platform that the world trusts; spent once', schema: TEXT },
    },
    answers: {
      200: { description: 'the session; its cookie is in `Set-Cookie`', schema: ref('Session') },
      400: failure('a pass and another credential came together'),
      401: failure('nobody’s credential, or a pass that is not taken, with the reason'),
      403: failure('a key that writes opens no session; a pass comes from the world’s own page'),
      409: { description: 'asked for elsewhere than at the world’s own origin', schema: ref('WrongOrigin') },
    },
    run: open,
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/session',
    access: 'session',
    tag: 'Access',
    summary: 'the session that its cookie carries, for the page that was opened with it (ours)',
    answers: { 200: { description: 'the session', schema: ref('Session') } },
    run: (_call, world, visit) => {
      const { scope, caller } = visit.asker!;
      const who = caller.startsWith(PERSON) ? { who: caller.slice(PERSON.length) } : {};
      return json(200, { world: world.name, scope, ...who, ...origin(visit) });
    },
  },
  {
    method: 'DELETE',
    path: '/-/<org>/<world>/session',
    access: 'session',
    tag: 'Access',
    summary: 'ends the session that its cookie carries',
    answers: { 204: { description: 'ended' } },
    run: (_call, _world, { around, head }) => {
      around.gate.sessions.end(head.session!);
      return { status: 204, headers: [ENDED_COOKIE], body: null };
    },
  },
];

const PERSON = 'person:';

function open(_call: Call, world: World, visit: Visit): Reply | Promise<Reply> {
  const { around, arrived, asker, head } = visit;
  const { ownOrigin } = around;
  // What an app sends through the proxy is for vendors; no browser is at its other end.
  if (arrived.from === 'proxy' || (ownOrigin !== null && !isAt(ownOrigin, head))) return elsewhere(ownOrigin);
  const presented = asker !== null && asker.by !== 'session';
  if (head.pass !== undefined) {
    if (presented)
      return problem(
        400,
        'two-credentials',
        'A session is opened with a pass or with a credential, not with both.',
      );
    return withPass(world, visit, head.pass);
  }
  if (presented) return withCredential(world, visit);
  return isLocal(visit) ? locally(world, visit) : noCredential();
}

// The head was read before the body was: what it presented may have ended meanwhile.
function withCredential(world: World, visit: Visit): Reply {
  const { around, asker, presented } = visit;
  const { gate } = around;
  const now = gate.wall.now();
  const standing = presented === null ? null : gate.whose(presented);
  if (asker === null || standing === null) return noCredential();
  const answer = { world: world.name, scope: standing.scope, ...origin(visit) };
  const { scope, caller, person } = standing;
  if (standing.by === 'token') {
    const id = gate.sessions.open({ scope, caller, person, opener: caller, expires: now + SESSION_MS });
    return sessionReply(answer, id, SESSION_MS);
  }
  if (scope === 'write')
    return problem(
      403,
      'not-for-this-credential',
      'A key opens no session, except one that only reads (5.3-6).',
    );
  const key = gate.keys.find(presented!);
  if (key === null) return noCredential();
  const lastsMs = Math.min(SESSION_MS, (key.expires ?? Number.POSITIVE_INFINITY) - now);
  const id = gate.sessions.open({ scope, caller, person, opener: openerOf(key.id), expires: now + lastsMs });
  return sessionReply(answer, id, lastsMs);
}

async function withPass(world: World, visit: Visit, pass: string): Promise<Reply> {
  const { around, head } = visit;
  const { gate, ownOrigin } = around;
  if (ownOrigin === null)
    return problem(409, 'no-own-origin', 'This world has no origin of its own, so it takes no passes.');
  if (head.headers['sec-fetch-site'] !== 'same-origin')
    return problem(
      403,
      'not-same-origin',
      'A pass is taken from the world’s own page alone: Sec-Fetch-Site: same-origin.',
    );
  const read = await gate.passes.read(pass, { world: world.name, origin: ownOrigin });
  if (!read.ok) return problem(401, read.why, read.message);
  const { issuer, subject, who, scope, spent } = read.pass;
  const id = gate.sessions.openOnce(
    {
      scope,
      caller: `${PERSON}${who}`,
      person: subject,
      opener: `pass ${issuer} ${subject}`,
      expires: gate.wall.now() + PASS_SESSION_MS,
    },
    spent,
  );
  if (id === null) return problem(401, 'pass-spent', 'The pass was spent already; each opens one session.');
  return sessionReply({ world: world.name, scope, who, issuer, origin: ownOrigin }, id, PASS_SESSION_MS);
}

/**
 * 5.3-4: a page at the world's own origin, in a browser of this machine. The browser vouches for `Origin` and
 * `Sec-Fetch-Site`; the addresses of the connection, and not what it says, for the machine.
 */
function isLocal({ around, arrived, head }: Visit): boolean {
  const { ownOrigin } = around;
  const { headers } = head;
  // What ends TLS in front of a host is on this machine too, and whoever asks it is anywhere.
  if (ownOrigin === null || arrived.local !== true || !isLocalhost(ownOrigin)) return false;
  // Whatever passed this on came from farther than the connection tells.
  if (head.through) return false;
  if (['via', 'forwarded', 'x-forwarded-for'].some(name => headers[name] !== undefined)) return false;
  const nothing = headers['authorization'] === undefined && !isPresented(head.credentials);
  return (
    nothing &&
    isAt(ownOrigin, head) &&
    headers['origin'] === ownOrigin &&
    headers['sec-fetch-site'] === 'same-origin'
  );
}

/** A name under which a browser finds this machine and no other. */
function isLocalhost(origin: string): boolean {
  return /^http:\/\/[^/]+\.localhost(?::\d+)?$/.test(origin);
}

function isPresented(credentials: Visit['head']['credentials']): boolean {
  return credentials['x-wrld-token'] !== undefined || credentials['x-twins-key'] !== undefined;
}

function locally(world: World, visit: Visit): Reply {
  const { gate } = visit.around;
  const id = gate.sessions.open({
    scope: 'write',
    caller: 'token',
    person: null,
    opener: 'local',
    expires: gate.wall.now() + SESSION_MS,
  });
  return sessionReply({ world: world.name, scope: 'write', local: true, ...origin(visit) }, id, SESSION_MS);
}

/** 2.11. */
type Opened = {
  readonly world: string;
  readonly scope: TokenScope;
  readonly local?: true;
  readonly who?: string;
  readonly issuer?: string;
  readonly origin?: string;
};

function origin({ around }: Visit): { readonly origin?: string } {
  return around.ownOrigin === null ? {} : { origin: around.ownOrigin };
}

function sessionReply(answer: Opened, id: Secret, lastsMs: number): Reply {
  return json(200, answer, [sessionCookie(id.reveal(), lastsMs)]);
}

/** 5.3-2: the page reads `origin`, and goes there. */
function elsewhere(ownOrigin: string | null): Reply {
  const error = {
    code: 'wrong-origin',
    message: 'A session lives at the world’s own origin and nowhere else.',
  };
  return json(409, ownOrigin === null ? { error } : { error, origin: ownOrigin });
}

function noCredential(): Reply {
  const verdict = judge('read', null);
  const message = verdict.ok ? '' : verdict.message;
  return problem(401, 'unauthenticated', message, {
    headers: [['www-authenticate', 'Bearer realm="wrld world"']],
  });
}
