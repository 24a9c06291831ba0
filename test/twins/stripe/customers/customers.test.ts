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

t.test('[4.1] a tax id that cannot be one of its kind is refused', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const refused = { code: 'tax_id_invalid', message: 'Invalid value for eu_vat.', statusCode: 400 };
  const data = (value: string) => ({ tax_id_data: [{ type: 'eu_vat', value }] as const }) as never;
  await t.rejects(stripe.customers.create(data('111')), { ...refused, param: 'tax_id_data[0][value]' });
  for (const [value, status] of Object.entries({
    '000000000': 'verified',
    '111111111': 'unverified',
    '222222222': 'pending',
  })) {
    const { id } = await stripe.customers.create(data(value));
    const [held] = (await stripe.customers.listTaxIds(id)).data;
    t.match(held, { country: null, verification: { status } }, value);
  }
  const ada = await stripe.customers.create(data('FR 12 345678901'));
  const kinds = [
    ['eu_vat', 'DE123456789', '123456789'],
    ['gb_vat', 'GB123456789', 'GB12345'],
    ['us_ein', '12-3456789', '12-34'],
    ['ch_vat', 'CHE-123.456.789 MWST', 'CH123'],
  ] as const;
  for (const [type, good, bad] of kinds) {
    t.match(await stripe.customers.createTaxId(ada.id, { type, value: good }), { type, value: good });
    await t.rejects(
      stripe.customers.createTaxId(ada.id, { type, value: bad }),
      { code: 'tax_id_invalid' },
      bad,
    );
  }
  await t.rejects(stripe.taxIds.create({ type: 'eu_vat', value: 'US123' }), refused);
});
