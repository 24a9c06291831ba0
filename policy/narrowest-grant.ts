// The least that a world can list so that what was refused passes the next time (7.2 `not-granted`): the exact path where one
// can be written, for the one kind of request that was made.
import { type Grant, parseGrant } from './grant.ts';
import type { RefusalRecord } from './refusal.ts';

export type NarrowestGrant = {
  /** The list of `runtime.network` that lacks it. */
  readonly list: 'egress' | 'writes';
  /** As the list has it: `https://api.example.com/v1/rates`. */
  readonly text: string;
  readonly kind: Grant['kind'];
};

const FIELD = /^runtime\.network\.(egress|writes)$/;

/** Null where no one grant of this world's own would let it pass: another rule refused it, or a parent world holds it. */
export function narrowestGrant({ rule, grantField, target }: RefusalRecord): NarrowestGrant | null {
  const list = FIELD.exec(grantField ?? '')?.[1] as NarrowestGrant['list'] | undefined;
  if (rule !== 'not-granted' || list === undefined) return null;
  // A query is no part of a grant. What was cut or made printable on its way into the record is no grant either.
  const text = target.replace(/[?#].*$/s, '');
  const read = parseGrant(text);
  return read.ok ? { list, text, kind: read.grant.kind } : null;
}
