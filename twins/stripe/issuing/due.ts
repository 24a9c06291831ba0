// What the card networks decide on their own as the world's clock moves.
import type { DueHandlers } from '../../kit/due.ts';
import { find } from '../api/act.ts';
import type { Falling } from '../api/product.ts';
import { decide } from './authorizations.ts';
import { judge } from './disputes.ts';

export type IssuingDue = {
  /** Nobody answered the request in time. */
  'issuing_authorization.time_out': { readonly authorization: string };
  'issuing_dispute.judge': { readonly dispute: string };
};

export const issuingDue: DueHandlers<IssuingDue, Falling> = {
  'issuing_authorization.time_out': ({ authorization: id }, { act }) => {
    const held = find(act, 'issuing.authorization', id);
    if (held !== undefined && held.pending_request !== null) decide(act, held, 'webhook_timeout');
  },
  'issuing_dispute.judge': ({ dispute }, { act }) => judge(act, dispute),
};
