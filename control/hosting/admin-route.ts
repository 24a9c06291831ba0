// A route of a host of many worlds (4.10): documented as a world's route is, and run with the host in a world's place.
import type { Reply } from '../../twins/kit/reply.ts';
import { problem } from '../http/answer.ts';
import type { Answer, Documented } from '../http/route.ts';
import { failure } from '../http/shapes.ts';
import type { HostAround, HostProblem } from './host-worlds.ts';

export type AdminVisit = {
  /** The template's `<names>`, as sent. */
  readonly params: { readonly [name: string]: string };
  readonly around: HostAround;
};

export type AdminRoute = Omit<Documented, 'method' | 'access'> & {
  readonly method: Exclude<Documented['method'], 'ANY'>;
  readonly access: 'open' | 'admin';
  readonly run: (body: Uint8Array, visit: AdminVisit) => Reply | Promise<Reply>;
};

/** What is answered to whom the admin token is not presented by. */
export const NOT_ADMIN: { readonly 401: Answer } = {
  401: failure('the admin token did not come; a world’s token opens nothing here'),
};

export function refused({ status, code, message }: HostProblem): Reply {
  return problem(status, code, message);
}
