// The Stripe twin, whole.
import { buildTwin } from '../kit/build-twin.ts';
import type { Twin } from '../kit/twin.ts';
import { withAccounts } from './api/account-scope.ts';
import {
  afterWrite,
  askOf,
  newRequest,
  preflight,
  readForm,
  replyOf,
  unknownOperation,
} from './api/answer.ts';
import { STRIPE_ROUTES } from './api/catalog.generated.ts';
import { stripeError } from './api/errors.ts';
import { IDEMPOTENCY } from './api/idempotency.ts';
import { authenticate } from './api/keys.ts';
import type { RecordTable } from './api/record-row.ts';
import { screensOf } from './api/screen.ts';
import { due } from './due.ts';
import { retryAfter } from './events/events.ts';
import { GENERIC_OPERATIONS, GENERIC_RECORDS } from './generic/tiers.ts';
import { STRIPE_MANIFEST } from './manifest.ts';
import { NESTED_OPERATIONS } from './nested-operations.ts';
import { OPERATIONS } from './operations.ts';
import { PRODUCTS } from './products.ts';
import { stripeVendor } from './real/vendor.ts';
import { RECORD_TYPES, RECORDS } from './records.ts';
import { withRetrieves } from './retrieves.ts';
import { SCREENS } from './screens.ts';
import { FORMER_OPERATIONS } from './versions/former-operations.ts';
import { VERSIONS } from './versions/versions.ts';

/** Those of the generic tier can be expanded too. */
const records: RecordTable = { ...RECORDS, ...GENERIC_RECORDS };

/** The key that some clients send in the form, and what a card or an account is paid from with. */
const SECRET_FIELDS = /^key$|\[(?:number|cvc|account_number)\]$/;

export const stripeTwin: Twin = buildTwin({
  manifest: STRIPE_MANIFEST,
  records: withAccounts({
    ...withRetrieves(
      RECORD_TYPES,
      PRODUCTS.flatMap(({ models }) => models),
      OPERATIONS,
    ),
    ...GENERIC_RECORDS,
  }),
  operations: [...OPERATIONS, ...GENERIC_OPERATIONS, ...NESTED_OPERATIONS, ...FORMER_OPERATIONS],
  generic: new Set(GENERIC_OPERATIONS),
  catalog: STRIPE_ROUTES,
  screens: screensOf(SCREENS, records),
  request: newRequest(records, VERSIONS),
  preflight,
  authenticate,
  unknown: unknownOperation,
  body: readForm,
  idempotency: IDEMPOTENCY,
  context: askOf(records, VERSIONS),
  reply: replyOf,
  error: stripeError,
  afterWrite,
  real: stripeVendor,
  keeps: {
    headers: ['stripe-version', 'stripe-account', 'stripe-context'],
    secrets: SECRET_FIELDS,
    answered: 'Request-Id',
  },
  due: (event, { tx }) => due(event, tx),
  signature: ({ endpoint }, state) => {
    const held = state.get('webhook_endpoint', endpoint.id);
    const secret = held?.['$secret'];
    return typeof secret === 'string' && held?.['status'] === 'enabled' ? { scheme: 'stripe', secret } : null;
  },
  retryAfter,
});
