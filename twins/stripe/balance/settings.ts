// How an account is paid out: its balance settings.

import { type Act, find, save } from '../api/act.ts';
import { vendor } from '../api/vendor.ts';
import type { View } from '../api/view.ts';
import type { Kept } from '../api/wire.ts';
import { tellView } from '../events/events.ts';

type Given = { readonly [field: string]: unknown };
type Asked = {
  readonly payments?: {
    readonly debit_negative_balances?: boolean;
    readonly payouts?: Given;
    readonly settlement_timing?: Given;
  };
};

const PAYMENTS = {
  debit_negative_balances: null,
  payouts: {
    automatic_transfer_rules_by_currency: null,
    minimum_balance_by_currency: null,
    schedule: { interval: 'daily' },
    statement_descriptor: null,
    status: 'enabled',
  },
  settlement_timing: { delay_days: 2, start_of_day: null },
};

function settingsOf(act: Act): Kept {
  const id = act.account ?? 'platform';
  return find(act, 'balance_settings', id) ?? { id, object: 'balance_settings', payments: PAYMENTS };
}

function asAnswer({ id: _account, ...view }: Kept): View {
  return view;
}

const retrieve = vendor<object>('balanceSettings.retrieve', ({ act }) => asAnswer(settingsOf(act)));

const change = vendor<Asked>('balanceSettings.update', ({ act, params }) => {
  const before = settingsOf(act);
  const own = before['payments'] as typeof PAYMENTS;
  const { payouts, settlement_timing: timing, ...scalars } = params.payments ?? {};
  const days = timing?.['delay_days_override'];
  const next: Kept = {
    ...before,
    payments: {
      ...own,
      ...scalars,
      payouts: {
        ...own.payouts,
        ...payouts,
        ...(payouts?.['schedule'] === undefined
          ? {}
          : { schedule: { ...own.payouts.schedule, ...(payouts['schedule'] as Given) } }),
      },
      settlement_timing: {
        ...own.settlement_timing,
        ...timing,
        ...(typeof days === 'number' ? { delay_days: days } : {}),
      },
    },
  };
  save(act, 'balance_settings', next);
  tellView(act, 'balance_settings.updated', asAnswer(next), asAnswer(before));
  return asAnswer(next);
});

export const balanceSettingsOperations = [retrieve, change];
