import t from 'tap';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

t.test('[4.1] a location that no tax can be found by is refused where it is validated at once', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const tax = { validate_location: 'immediately' } as const;
  const refused = { code: 'customer_tax_location_invalid', param: 'tax[validate_location]' };
  const without = { country: 'US', line1: '1 Main Street' };
  await t.rejects(stripe.customers.create({ tax }), refused);
  await t.rejects(stripe.customers.create({ address: without, tax }), refused);
  const ada = await stripe.customers.create({ address: without, tax: { validate_location: 'deferred' } });
  await t.rejects(stripe.customers.update(ada.id, { name: 'Ada', tax }), refused);
  t.equal((await stripe.customers.retrieve(ada.id)).deleted, undefined);
  const address = { ...without, postal_code: '94103' };
  t.match(await stripe.customers.update(ada.id, { address, tax }), { address });
  t.ok(await stripe.customers.create({ address: { country: 'DE' }, tax }));
});

t.test(
  '[4.1] funding instructions are of the country and the kinds of address that are asked for',
  async t => {
    await using made = await openStripeWorld();
    const { stripe } = made;
    const ada = await stripe.customers.create();
    const ask = (requested_address_types: ('iban' | 'sort_code')[]) =>
      stripe.customers.createFundingInstructions(ada.id, {
        currency: 'eur',
        funding_type: 'bank_transfer',
        bank_transfer: {
          type: 'eu_bank_transfer',
          eu_bank_transfer: { country: 'FR' },
          requested_address_types,
        },
      });
    t.match(await ask(['sort_code', 'iban']), {
      bank_transfer: {
        country: 'FR',
        financial_addresses: [{ type: 'iban', iban: { country: 'FR', iban: /^FR/ } }],
      },
    });
    await t.rejects(ask(['sort_code']), {
      message: /^No address of the requested types/,
      param: 'bank_transfer[requested_address_types]',
    });
  },
);
