// The generic tier: what is answered from the vendor's own declarations.
import t from 'tap';
import { faultsOf } from '../../../kit/stripe-schema.ts';
import { openStripeWorld, shop } from '../../../kit/stripe-world.ts';

t.test('[4.1] the generic tier keeps what it was told, and says no more than it knows', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const feature = await stripe.entitlements.features.create({ name: 'SSO', lookup_key: 'sso' });
  t.match(feature, { object: 'entitlements.feature', active: true, lookup_key: 'sso' });
  t.same(faultsOf(feature), []);
  const { product } = await shop(stripe);
  const attached = await stripe.products.createFeature(product.id, { entitlement_feature: feature.id });
  t.match(attached, { object: 'product_feature', entitlement_feature: { id: feature.id } });
  t.equal((await stripe.products.listFeatures(product.id)).data.length, 1);
  const other = await stripe.products.create({ name: 'Other' });
  t.equal((await stripe.products.listFeatures(other.id)).data.length, 0);
  const rate = await stripe.shippingRates.create({
    display_name: 'Ground',
    type: 'fixed_amount',
    fixed_amount: { amount: 500, currency: 'usd' },
  });
  t.match(await stripe.shippingRates.retrieve(rate.id), { fixed_amount: { amount: 500, currency: 'usd' } });
  t.match(await stripe.shippingRates.update(rate.id, { active: false }), { active: false });
  t.equal((await stripe.shippingRates.list({ active: true })).data.length, 0);
  const value = await stripe.radar.valueLists.create({ alias: 'bad', name: 'Bad' });
  await stripe.radar.valueListItems.create({ value_list: value.id, value: 'x' });
  t.equal((await stripe.radar.valueListItems.list({ value_list: value.id })).data.length, 1);
  t.match(await stripe.radar.valueLists.del(value.id), { deleted: true });
  await t.rejects(stripe.radar.valueLists.retrieve(value.id), { code: 'resource_missing', statusCode: 404 });
  await t.rejects(stripe.countrySpecs.list(), { code: 'wrld_unmodelled_operation' });
});

t.test('[4.1] what nothing here makes is listed empty, and none of it is found', async t => {
  await using made = await openStripeWorld();
  const { climate, treasury, financialConnections } = made.stripe;
  t.same((await climate.orders.list()).data, []);
  const gone = { code: 'resource_missing', statusCode: 404 } as const;
  await t.rejects(climate.orders.cancel('climorder_1'), gone);
  await t.rejects(treasury.financialAccounts.retrieveFeatures('fa_1'), gone);
  await t.rejects(financialConnections.accounts.listOwners('fca_1', { ownership: 'x' }), gone);
  const unmodelled = { code: 'wrld_unmodelled_operation', statusCode: 501 } as const;
  await t.rejects(climate.orders.create({ product: 'climsku_1', amount: 100 }), unmodelled);
  await t.rejects(made.stripe.forwarding.requests.create({} as never), unmodelled);
  await t.rejects(
    made.stripe.terminal.readers.processPaymentIntent('tmr_1', { payment_intent: 'pi_1' }),
    gone,
  );
});
