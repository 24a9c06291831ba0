// The Sources API of before payment methods: made by themselves, charged, and saved to customers.

import { type Act, need, save } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import type { PageAsk } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import {
  choice,
  hash,
  integer,
  type MetadataParam,
  mergeMetadata,
  metadata,
  required,
  type Tree,
  text,
  tree,
} from '../api/params.ts';
import { vendor } from '../api/vendor.ts';
import { listView, viewOf } from '../api/view.ts';
import { tell } from '../events/events.ts';
import { cardOfToken } from '../test-cards/test-cards.ts';
import { methodOfSource } from './methods.ts';
import type { Source } from './records.ts';
import { newCard } from './tokens.ts';

const createOld = operation(
  'sources.create',
  'POST /v1/sources',
  {
    amount: integer(1),
    currency: text(),
    flow: choice('none', 'receiver', 'redirect'),
    mandate: tree(),
    metadata: metadata(),
    owner: tree(),
    redirect: hash({ return_url: required(text()) }),
    /** Of the type; no library of today declares it. */
    sepa_debit: hash({ iban: required(text()) }),
    statement_descriptor: text(),
    token: text(),
    type: text(),
    usage: choice('reusable', 'single_use'),
  },
  ({ act, params }) => {
    const type = params.type ?? 'card';
    const name = params.token === undefined ? 'visa' : cardOfToken(params.token);
    if (name === null) throw missing('token', params.token ?? '', { param: 'token' });
    const id = act.tx.id('src_', 24);
    const owner = ownerOf({}, params.owner);
    const debit = type === 'sepa_debit' ? sepaOf(act, id, params, owner) : null;
    if (debit !== null) save(act, 'payment_method', debit.method);
    const ready = type === 'card' || debit !== null;
    const { id: _card, object: _object, $card, ...card } = newCard(act, name);
    const source: Source = {
      id,
      object: 'source',
      allow_redisplay: 'unspecified',
      amount: params.amount ?? null,
      client_secret: `${id}_secret_${act.tx.id('', 24)}`,
      created: act.at,
      currency: params.currency?.toLowerCase() ?? null,
      flow: params.flow ?? (ready ? 'none' : 'redirect'),
      livemode: false,
      metadata: mergeMetadata({}, params.metadata),
      owner,
      statement_descriptor: params.statement_descriptor ?? null,
      status: ready ? 'chargeable' : 'pending',
      type,
      usage: params.usage ?? 'reusable',
      [type]: type === 'card' ? card : (debit?.shown ?? {}),
      ...(debit === null ? {} : { mandate: debit.mandate }),
      customer: null,
      $card: debit === null ? $card : '',
    };
    save(act, 'source', source);
    if (ready) tell(act, 'source.chargeable', 'source', source);
    return viewOf(act, 'source', source);
  },
);

type Owner = { readonly [field: string]: Tree };

/** What is verified of an owner is the vendor's to say: nothing here. */
function ownerOf(held: Owner, given: Owner | undefined): Owner {
  const none = { address: null, email: null, name: null, phone: null };
  const unverified = {
    verified_address: null,
    verified_email: null,
    verified_name: null,
    verified_phone: null,
  };
  return { ...none, ...held, ...given, ...unverified };
}

type Debited = {
  readonly sepa_debit?: { readonly iban: string };
  readonly mandate?: { readonly [field: string]: Tree };
};

/** What a source of an IBAN tells, and the method that it pays as. Throws where no debit can be made of it. */
function sepaOf(act: Act, id: string, params: Debited, owner: Owner) {
  const { name, email } = owner as { readonly name: string | null; readonly email: string | null };
  if (name === null) {
    throw invalid('Missing required param: owner[name].', {
      code: 'parameter_missing',
      param: 'owner[name]',
    });
  }
  const billing = { name, ...(email === null ? {} : { email }) };
  const method = methodOfSource(act, id, 'sepa_debit', { details: params.sepa_debit ?? {}, owner: billing });
  const { generated_from: _from, ...account } = (method.sepa_debit ?? {}) as { [field: string]: unknown };
  const reference = `TWIN${act.tx.hex(4).toUpperCase()}`;
  const url = `https://hooks.stripe.com/adapter/sepa_debit/file/${id}`;
  return {
    method,
    shown: { ...account, mandate_reference: reference, mandate_url: url },
    mandate: {
      acceptance: {
        date: null,
        ip: null,
        offline: null,
        online: null,
        status: 'pending',
        type: null,
        user_agent: null,
      },
      interval: 'variable',
      notification_method: 'none',
      ...params.mandate,
      reference,
      url,
    },
  };
}

/** A source with what a call says of it. */
export function changedSource(
  held: Source,
  given: {
    readonly metadata?: MetadataParam | undefined;
    readonly owner?: Owner | undefined;
    readonly mandate?: Owner | undefined;
  },
): Source {
  return {
    ...held,
    metadata: mergeMetadata((held['metadata'] as { [name: string]: string }) ?? {}, given.metadata),
    owner: ownerOf(held['owner'] as Owner, given.owner),
    ...(given.mandate === undefined || held['mandate'] === undefined
      ? {}
      : { mandate: { ...(held['mandate'] as object), ...given.mandate } }),
  };
}

const retrieveOld = operation(
  'sources.retrieve',
  'GET /v1/sources/{source}',
  { client_secret: text() },
  ({ act, path }) =>
    viewOf(act, 'source', need(act, 'source', path['source'] ?? '', { param: 'source', inPath: true })),
);

const changeOld = operation(
  'sources.update',
  'POST /v1/sources/{source}',
  { amount: integer(1), mandate: tree(), metadata: metadata(), owner: tree() },
  ({ act, path, params }) => {
    const held = need(act, 'source', path['source'] ?? '', { param: 'source', inPath: true });
    const next: Source = {
      ...changedSource(held, params),
      ...(params.amount === undefined ? {} : { amount: params.amount }),
    };
    save(act, 'source', next);
    return viewOf(act, 'source', next);
  },
);

const transactions = vendor<PageAsk>('sources.listSourceTransactions', ({ act, path, params }) => {
  const { id } = need(act, 'source', path['id'] ?? '', { param: 'source', inPath: true });
  // A source of this twin has none, and so none after which a page could begin.
  const after = params.starting_after ?? params.ending_before;
  if (after !== undefined) {
    const param = params.starting_after === undefined ? 'ending_before' : 'starting_after';
    throw missing('source_transaction', after, { param });
  }
  return listView([], false, `/v1/sources/${id}/source_transactions`);
});

const verifyOld = vendor<object>('sources.verify', ({ act, path }) => {
  const held = need(act, 'source', path['id'] ?? '', { param: 'source', inPath: true });
  throw invalid(`This source cannot be verified: its flow is ${String(held['flow'])}.`);
});

export const oldSourceOperations = [transactions, verifyOld, createOld, retrieveOld, changeOld];
