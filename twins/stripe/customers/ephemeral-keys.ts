// Ephemeral keys, with which a mobile client acts for one customer, card or verification.
import { need, remove, save } from '../api/act.ts';
import { secretOf } from '../api/ephemeral.ts';
import { operation } from '../api/operation.ts';
import { text } from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import type { EphemeralKey } from './records.ts';

const KEY_SECONDS = 60 * 60;

const create = operation(
  'ephemeralKeys.create',
  'POST /v1/ephemeral_keys',
  { customer: text(), issuing_card: text(), verification_session: text() },
  ({ act, params }) => {
    if (params.customer !== undefined) need(act, 'customer', params.customer, { param: 'customer' });
    const key: EphemeralKey = {
      id: act.tx.id('ephkey_', 24),
      object: 'ephemeral_key',
      created: act.at,
      expires: act.at + KEY_SECONDS,
      livemode: false,
      $customer: params.customer ?? null,
    };
    act.tx.kind('ephemeral_key.created');
    save(act, 'ephemeral_key', key);
    const of =
      params.customer !== undefined
        ? { id: params.customer, type: 'customer' }
        : params.issuing_card !== undefined
          ? { id: params.issuing_card, type: 'issuing_card' }
          : { id: params.verification_session, type: 'verification_session' };
    return {
      ...viewOf(act, 'ephemeral_key', key),
      associated_objects: [of],
      secret: secretOf(act, key.id),
    };
  },
  ['nonce'],
);

const del = operation('ephemeralKeys.del', 'DELETE /v1/ephemeral_keys/{key}', {}, ({ act, path }) => {
  const held = need(act, 'ephemeral_key', path['key'] ?? '', { param: 'key', inPath: true });
  act.tx.kind('ephemeral_key.deleted');
  remove(act, 'ephemeral_key', held.id);
  return viewOf(act, 'ephemeral_key', { ...held, expires: act.at });
});

export const ephemeralKeyOperations = [create, del];
