// The Stripe twin, whole.
import { compileRoutes } from '../kit/routes.ts';
import type { Twin } from '../kit/twin.ts';
import { withAccounts } from './api/account-scope.ts';
import { answer, type Desk, type KnownRoute } from './api/answer.ts';
import { STRIPE_ROUTES } from './api/catalog.generated.ts';
import { type ErrorType, errorBody } from './api/errors.ts';
import type { RecordTable } from './api/record-row.ts';
import { openScreens } from './api/screen.ts';
import { due } from './due.ts';
import { retryAfter } from './events/events.ts';
import { GENERIC_OPERATIONS, GENERIC_RECORDS } from './generic/tiers.ts';
import { STRIPE_MANIFEST } from './manifest.ts';
import { OPERATIONS } from './operations.ts';
import { RECORD_TYPES, RECORDS } from './records.ts';
import { SCREENS } from './screens.ts';

/** Those of the generic tier can be expanded too. */
const records: RecordTable = { ...RECORDS, ...GENERIC_RECORDS };

const desk: Desk = {
  records,
  operations: compileRoutes([...OPERATIONS, ...GENERIC_OPERATIONS]),
  catalog: compileRoutes(
    STRIPE_ROUTES.map((route): KnownRoute => {
      const [method = '', path = ''] = route.split(' ');
      return { method, path };
    }),
  ),
};

const screens = openScreens(SCREENS, records);

export const stripeTwin: Twin = {
  manifest: STRIPE_MANIFEST,
  records: withAccounts({ ...RECORD_TYPES, ...GENERIC_RECORDS }),
  respond: (call, tx) => screens(call, tx) ?? answer(desk, call, tx),
  due,
  signature: ({ endpoint }, state) => {
    const held = state.get('webhook_endpoint', endpoint.id);
    const secret = held?.['$secret'];
    return typeof secret === 'string' && held?.['status'] === 'enabled' ? { scheme: 'stripe', secret } : null;
  },
  retryAfter,
  models: call => desk.operations(call.method, call.path).ok,
  error: (status, code, message, type) => ({
    status,
    headers: [['Content-Type', 'application/json']],
    body: errorBody(message, { type: typeOf(status, type), ...(code === '' ? {} : { code }) }, null),
  }),
};

const TYPES: readonly ErrorType[] = ['api_error', 'card_error', 'idempotency_error', 'invalid_request_error'];

function typeOf(status: number, asked: string | undefined): ErrorType {
  const known = TYPES.find(type => type === asked);
  if (known !== undefined) return known;
  if (status === 402) return 'card_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}
