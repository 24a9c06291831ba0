// Whose records a call sees: the platform its own, and a connected account (`Stripe-Account`, or a key of its own) its
// own. A record of a connected account says so in `$acct`; what Connect itself is made of belongs to the platform and
// is seen by both.
import type { RecordType } from '../../kit/twin.ts';
import type { RecordBody, Tx } from '../../kit/tx.ts';

/** Records that are kept by account in themselves, or that tie accounts together. */
const SHARED: ReadonlySet<string> = new Set([
  'account',
  'account_version',
  'application_fee',
  'balance_account',
  'balance_settings',
  'balance_transaction',
  'bank_account',
  'capability',
  'card',
  'fee_refund',
  'file',
  'oauth_code',
  'payout',
  'person',
  'token',
  'topup',
  'transfer',
  'transfer_reversal',
  'v2.core.account',
  'v2.core.account_person',
  'v2.core.event_destination',
  'webhook_endpoint',
]);

/** The types with what lists of a connected account select on; the platform's records stand in none of it. */
export function withAccounts(types: { readonly [type: string]: RecordType }): {
  readonly [type: string]: RecordType;
} {
  return Object.fromEntries(
    Object.entries(types).map(([type, held]) => {
      if (SHARED.has(type)) return [type, held];
      const own = held.indexes.map(fields => ['$acct', ...fields]);
      return [type, { ...held, indexes: [...held.indexes, ['$acct'], ...own] }];
    }),
  );
}

/** Says that some record is a connected account's, so that the platform's reads must leave such out. */
const MARK = { type: 'connect_scope', id: 'any' } as const;

export type Scope = {
  /** Null is the platform. */
  account: string | null;
  /** The first record that is read tells whose page it is: screens have no other way to know. */
  readonly learns: boolean;
};

/** The transaction as an account sees it. Worlds without connected accounts pay one read for it. */
export function scoped(tx: Tx, scope: Scope): Tx {
  if (scope.account === null && tx.get(MARK.type, MARK.id) === undefined) return tx;
  const owner = (body: RecordBody): string | null => (body['$acct'] as string | undefined) ?? null;
  const sees = (type: string, body: RecordBody): boolean => {
    if (SHARED.has(type)) return true;
    if (scope.learns && scope.account === null) scope.account = owner(body);
    return owner(body) === scope.account;
  };
  const bare = <T extends RecordBody>(body: T): T => {
    if (body['$acct'] === undefined) return body;
    const { $acct: _owner, ...rest } = body;
    return rest as unknown as T;
  };
  return {
    get now() {
      return tx.now;
    },
    get writes() {
      return tx.writes;
    },
    log: tx.log,
    requests: tx.requests,
    get: <T extends RecordBody>(type: string, id: string) => {
      const body = tx.get<T>(type, id);
      return body === undefined || !sees(type, body) ? undefined : bare(body);
    },
    list: <T extends RecordBody>(type: string, query: Parameters<Tx['list']>[1]) => {
      if (SHARED.has(type)) return tx.list<T>(type, query);
      const { keep, where = {} } = query;
      const account = scope.account;
      const plain = Object.entries(where).every(
        ([name, value]) => typeof value === 'string' && name[0] !== '~',
      );
      const found = tx.list<T>(
        type,
        account !== null && plain
          ? { ...query, where: { ...where, $acct: account } }
          : { ...query, keep: body => owner(body) === account && (keep === undefined || keep(body)) },
      );
      return { ...found, items: found.items.map(bare) };
    },
    put: (type, id, body) => {
      if (scope.account === null || SHARED.has(type)) return tx.put(type, id, body);
      if (tx.get(MARK.type, MARK.id) === undefined) tx.put(MARK.type, MARK.id, { id: MARK.id });
      tx.put(type, id, { ...body, $acct: scope.account });
    },
    delete: (type, id) => tx.delete(type, id),
    blob: sha256 => tx.blob(sha256),
    putBlob: bytes => tx.putBlob(bytes),
    id: (prefix, length) => tx.id(prefix, length),
    recordId: (prefix, length) => tx.recordId(prefix, length),
    hex: bytes => tx.hex(bytes),
    kind: kind => tx.kind(kind),
    // What falls due is the account's again.
    schedule: (key, at, payload) =>
      tx.schedule(key, at, scope.account === null ? payload : { ...payload, $acct: scope.account }),
    cancel: key => tx.cancel(key),
    deliver: request => tx.deliver(request),
    recall: key => tx.recall(key),
    remember: (key, memo, expires) => tx.remember(key, memo, expires),
  };
}
