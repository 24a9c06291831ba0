// What a Terminal reader is asked to do, and what comes of it. Readers, locations and configurations themselves are of
// the generic tier; each reader is simulated, so a test helper stands for the person with the card.
import type { RecordBody } from '../../kit/tx.ts';
import { type Act, need, save } from '../api/act.ts';
import { invalid, missing, StripeRefusal } from '../api/errors.ts';
import { filledField } from '../api/fill-shape.ts';
import { decode } from '../api/params.ts';
import { vendor } from '../api/vendor.ts';
import { type View, viewOf } from '../api/view.ts';
import { tellView } from '../events/events.ts';
import { attempt } from '../payments/attempt.ts';
import { methodOfCard } from '../payments/methods.ts';
import type { PaymentMethod } from '../payments/records.ts';
import { refund, refundShape } from '../payments/refunds.ts';
import { confirmSetup } from '../payments/setup.ts';
import { cardOfNumber, testCard } from '../test-cards/test-cards.ts';

type Path = { readonly [name: string]: string };
type Action = {
  readonly type: string;
  readonly status: 'in_progress' | 'succeeded' | 'failed';
  readonly failure_code: string | null;
  readonly failure_message: string | null;
  readonly [kind: string]: unknown;
};
type Reader = RecordBody & { readonly id: string; readonly action: Action | null };

function needReader(act: Act, path: Path): Reader {
  const held = act.tx.get<Reader>('terminal.reader', path['id'] ?? '');
  if (held === undefined)
    throw missing('terminal.reader', path['id'] ?? '', { param: 'reader', inPath: true });
  return held;
}

const EVENTS = {
  failed: 'terminal.reader.action_failed',
  in_progress: 'terminal.reader.action_updated',
  succeeded: 'terminal.reader.action_succeeded',
} as const;

function put(act: Act, reader: Reader, action: Action | null): View {
  const next = { ...reader, action: filledField('terminal.reader', 'action', action) };
  act.wrote = true;
  act.tx.put('terminal.reader', reader.id, next);
  const { $parent: _parent, ...view } = next as RecordBody;
  if (action !== null) {
    act.tx.kind(EVENTS[action.status]);
    tellView(act, EVENTS[action.status], view);
  }
  return view;
}

/** A reader does one thing at a time. */
function begin(act: Act, path: Path, type: string, details: object): View {
  const reader = needReader(act, path);
  if (reader.action?.status === 'in_progress') {
    throw invalid('Reader is currently busy processing another request.', { code: 'terminal_reader_busy' });
  }
  return put(act, reader, {
    api_error: null,
    failure_code: null,
    failure_message: null,
    status: 'in_progress',
    type,
    [type]: details,
  });
}

/** The intent that a reader is to work on takes cards that are there. */
function needPayable(act: Act, id: string): void {
  const intent = need(act, 'payment_intent', id, { param: 'payment_intent' });
  const types: readonly string[] = intent.payment_method_types;
  if (!types.includes('card_present') && !types.includes('interac_present')) {
    throw invalid('The PaymentIntent must take `card_present` payments to be processed by a reader.', {
      code: 'payment_intent_invalid_parameter',
      param: 'payment_intent',
    });
  }
  if (!['requires_payment_method', 'requires_confirmation'].includes(intent.status)) {
    throw invalid(`The PaymentIntent cannot be processed: its status is ${intent.status}.`, {
      code: 'intent_invalid_state',
      param: 'payment_intent',
    });
  }
}

type OnIntent = { readonly payment_intent: string };

const process = vendor<OnIntent & { readonly process_config?: object }>(
  'terminal.readers.processPaymentIntent',
  ({ act, path, params }) => {
    needReader(act, path);
    needPayable(act, params.payment_intent);
    const { payment_intent, process_config = {} } = params;
    return begin(act, path, 'process_payment_intent', { payment_intent, process_config });
  },
);

const collect = vendor<OnIntent & { readonly collect_config?: object }>(
  'terminal.readers.collectPaymentMethod',
  ({ act, path, params }) => {
    needReader(act, path);
    needPayable(act, params.payment_intent);
    const { payment_intent, collect_config = {} } = params;
    return begin(act, path, 'collect_payment_method', { payment_intent, collect_config });
  },
);

const confirm = vendor<OnIntent & { readonly confirm_config?: object }>(
  'terminal.readers.confirmPaymentIntent',
  ({ act, path, params }) => {
    const { payment_intent, confirm_config = {} } = params;
    needReader(act, path);
    needPayable(act, payment_intent);
    const intent = need(act, 'payment_intent', payment_intent, { param: 'payment_intent' });
    const id = String(intent.payment_method ?? '');
    const method = need(act, 'payment_method', id, { param: 'payment_intent' });
    begin(act, path, 'confirm_payment_intent', { payment_intent, confirm_config });
    return paid(act, needReader(act, path), payment_intent, method, {});
  },
);

const processSetup = vendor<{ readonly setup_intent: string; readonly process_config?: object }>(
  'terminal.readers.processSetupIntent',
  ({ act, path, params }) => {
    const { setup_intent, process_config = {} } = params;
    needReader(act, path);
    need(act, 'setup_intent', setup_intent, { param: 'setup_intent' });
    return begin(act, path, 'process_setup_intent', { setup_intent, process_config });
  },
);

type RefundAsk = { readonly amount?: number; readonly charge?: string; readonly payment_intent?: string };

const refundPayment = vendor<RefundAsk & { readonly [more: string]: unknown }>(
  'terminal.readers.refundPayment',
  ({ act, path, params }) => {
    const { amount, charge, payment_intent } = params;
    const asked = { amount, charge, payment_intent };
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
    return begin(act, path, 'refund_payment', given);
  },
);

const display = vendor<{ readonly cart?: { readonly [field: string]: unknown }; readonly type: string }>(
  'terminal.readers.setReaderDisplay',
  ({ act, path, params }) => {
    const cart = params.cart === undefined ? null : { tax: null, ...params.cart };
    begin(act, path, 'set_reader_display', { cart, type: params.type });
    return ended(act, needReader(act, path), {});
  },
);

const collectInputs = vendor<{ readonly inputs: readonly object[]; readonly metadata?: object }>(
  'terminal.readers.collectInputs',
  ({ act, path, params }) =>
    begin(act, path, 'collect_inputs', { inputs: params.inputs, metadata: params.metadata ?? {} }),
);

const cancel = vendor<object>('terminal.readers.cancelAction', ({ act, path }) =>
  put(act, needReader(act, path), null),
);

/** The action that waits, which must be one of these. */
function waiting(reader: Reader, ...types: readonly string[]): Action {
  const { action } = reader;
  if (action !== null && action.status === 'in_progress' && types.includes(action.type)) return action;
  throw invalid('The reader is not waiting for this.', {
    code: 'terminal_reader_invalid_location_for_payment',
  });
}

/** `more` are details that the action ends with. */
function ended(act: Act, reader: Reader, more: object, failure: StripeRefusal | null = null): View {
  const action = reader.action as Action;
  return put(act, reader, {
    ...action,
    failure_code: failure === null ? null : String(failure.fields.code ?? 'card_declined'),
    failure_message: failure?.message ?? null,
    status: failure === null ? 'succeeded' : 'failed',
    [action.type]: { ...(action[action.type] as object), ...more },
  });
}

type Presented = {
  readonly amount_tip?: number;
  readonly card_present?: { readonly number?: string };
  readonly type?: string;
};

const present = vendor<Presented>(
  'testHelpers.terminal.readers.presentPaymentMethod',
  ({ act, path, params }) => {
    const reader = needReader(act, path);
    const kinds = [
      'process_payment_intent',
      'collect_payment_method',
      'process_setup_intent',
      'refund_payment',
    ];
    const action = waiting(reader, ...kinds);
    const details = action[action.type] as { readonly [field: string]: string };
    const method = presented(act, params.card_present?.number ?? '4242424242424242');
    switch (action.type) {
      case 'process_payment_intent':
        return paid(act, reader, details['payment_intent'] ?? '', method, params);
      case 'collect_payment_method': {
        const intent = need(act, 'payment_intent', details['payment_intent'] ?? '', {
          param: 'payment_intent',
        });
        save(act, 'payment_method', method);
        save(act, 'payment_intent', {
          ...intent,
          payment_method: method.id,
          status: 'requires_confirmation',
        });
        return ended(act, reader, { payment_method: viewOf(act, 'payment_method', method) });
      }
      case 'process_setup_intent': {
        const intent = need(act, 'setup_intent', details['setup_intent'] ?? '', { param: 'setup_intent' });
        const made = confirmSetup(act, intent, method, null, true);
        return ended(act, reader, {}, declined(made.decline));
      }
      default: {
        const form = new Map(Object.entries(details).map(([name, value]) => [name, String(value)]));
        const asked = decode(form, refundShape, { names: [], operation: 'terminal.readers.refundPayment' });
        return ended(act, reader, { refund: String(refund(act, asked)['id']) });
      }
    }
  },
);

function declined(why: { readonly code: string; readonly message: string } | null): StripeRefusal | null {
  return why === null ? null : new StripeRefusal(402, why.message, { type: 'card_error', code: why.code });
}

function paid(
  act: Act,
  reader: Reader,
  id: string,
  method: PaymentMethod,
  { amount_tip: tip }: { readonly amount_tip?: number },
): View {
  const held = need(act, 'payment_intent', id, { param: 'payment_intent' });
  const tipped =
    tip === undefined
      ? held
      : {
          ...held,
          amount: held.amount + tip,
          amount_details: { ...held.amount_details, tip: { amount: tip } },
        };
  const made = attempt(act, tipped, method, { offSession: false, returnUrl: null });
  return ended(act, reader, {}, declined(made.decline));
}

/** The card that is held to the reader, as a method of its own kind; not saved. */
function presented(act: Act, number: string): PaymentMethod {
  const name = cardOfNumber(number.replaceAll(/[\s-]/g, ''));
  if (name === null) throw invalid('Your card number is incorrect.', { param: 'card_present[number]' });
  const { card: facts, ...rest } = methodOfCard(act, act.tx.recordId('pm_', 24), name, null);
  const { brand, country, funding, last4 } = testCard(name);
  const details = filledField('payment_method', 'card_present', {
    brand,
    country,
    exp_month: facts?.exp_month,
    exp_year: facts?.exp_year,
    fingerprint: facts?.fingerprint,
    funding,
    last4,
    networks: { available: [brand], preferred: null },
    read_method: 'contactless_emv',
  });
  return { ...rest, type: 'card_present', card_present: details } as PaymentMethod;
}

const inputs = vendor<{ readonly skip_non_required_inputs?: string }>(
  'testHelpers.terminal.readers.succeedInputCollection',
  ({ act, path, params }) => {
    const reader = needReader(act, path);
    const action = waiting(reader, 'collect_inputs');
    const asked = (action['collect_inputs'] as { inputs: readonly { readonly [field: string]: unknown }[] })
      .inputs;
    const filled = asked.map(input => answered(input, params.skip_non_required_inputs === 'all'));
    return ended(act, reader, { inputs: filled });
  },
);

type Input = { readonly [field: string]: unknown };

function answered(input: Input, skips: boolean): Input {
  const type = String(input['type']);
  if (skips && input['required'] !== true) return { ...input, skipped: true };
  const choices = (input['selection'] as { choices?: readonly { id?: string; value?: string }[] } | undefined)
    ?.choices;
  const values: { readonly [type: string]: object } = {
    email: { value: 'customer@example.com' },
    numeric: { value: '123456789' },
    phone: { value: '15551234567' },
    selection: { id: choices?.[0]?.id ?? null, text: choices?.[0]?.value ?? null },
    signature: { value: null },
    text: { value: 'text' },
  };
  return { ...input, skipped: false, [type]: { ...(input[type] as object | undefined), ...values[type] } };
}

const timeout = vendor<object>('testHelpers.terminal.readers.timeoutInputCollection', ({ act, path }) => {
  const reader = needReader(act, path);
  waiting(reader, 'collect_inputs');
  const late = new StripeRefusal(400, 'The reader timed out.', { code: 'terminal_reader_timeout' });
  return ended(act, reader, {}, late);
});

const connection = vendor<{ readonly location?: string }>(
  'terminal.connectionTokens.create',
  ({ act, params }) => {
    const { location } = params;
    if (location !== undefined && act.tx.get('terminal.location', location) === undefined) {
      throw missing('terminal.location', location, { param: 'location' });
    }
    return {
      object: 'terminal.connection_token',
      ...(location === undefined ? {} : { location }),
      secret: `pst_test_${act.tx.id('', 32)}`,
    };
  },
);

export const terminalOperations = [
  process,
  collect,
  confirm,
  processSetup,
  refundPayment,
  display,
  collectInputs,
  cancel,
  present,
  inputs,
  timeout,
  connection,
];
