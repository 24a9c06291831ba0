// Words of a parameter that Stripe knows and this twin does not are refused by name; words that nobody knows, as Stripe does.
import t from 'tap';
import { declares } from '../../../../twins/stripe/api/vendor.ts';
import { API_VERSION } from '../../../../twins/stripe/api/version.ts';
import { OPERATIONS } from '../../../../twins/stripe/operations.ts';
import { callerIn } from '../../../kit/stripe-version.ts';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

t.test('[4.1] a word that Stripe knows and the twin does not model is refused by its name', async t => {
  await using made = await openStripeWorld();
  const { ask } = callerIn(made, API_VERSION);
  for (const [path, form, word] of [
    ['/v1/invoices/create_preview', 'preview_mode=recurring', 'preview_mode=recurring'],
    ['/v1/checkout/sessions', 'mode=payment&ui_mode=form', 'ui_mode=form'],
    ['/v1/subscription_schedules', 'customer=cus_1&end_behavior=renew', 'end_behavior=renew'],
    [
      '/v1/quotes',
      'subscription_data[effective_date]=current_period_end',
      'subscription_data[effective_date]=current_period_end',
    ],
    ['/v1/sources', 'type=card&flow=code_verification', 'flow=code_verification'],
    [
      '/v1/subscriptions/sub_1/pause',
      'bill_for[outstanding_usage_through][type]=now&type=subscription',
      'bill_for[outstanding_usage_through][type]=now',
    ],
  ] as const) {
    const [param = ''] = word.split('=');
    const { status, body } = await ask('POST', path, form);
    t.match(
      { status, error: body.error },
      { status: 400, error: { code: 'wrld_unmodelled_parameter', param } },
    );
    t.ok(body.error.message.includes(`the parameter ${word} of`), body.error.message);
  }
});

t.test('[4.1] a word that nobody knows is refused with those that there are', async t => {
  await using made = await openStripeWorld();
  const { ask } = callerIn(made, API_VERSION);
  const { body } = await ask('POST', '/v1/invoices/create_preview', 'preview_mode=never');
  t.match(body.error, { param: 'preview_mode', message: /^Invalid preview_mode: must be/ });
  t.notOk('code' in body.error);
});

t.test('a word that is left out by name is one that the vendor declares', async t => {
  for (const { name, unmodelled } of OPERATIONS)
    for (const entry of unmodelled.filter(each => each.includes('='))) {
      const [param = '', word] = entry.split('=');
      t.ok(declares(name, param, word), `${name}: ${entry}`);
    }
});
