// Ids of records: in the order of the log as texts, and of chance in the rest.
import t from 'tap';
import { openEntropy } from '../../../../control/node/entropy.ts';
import { orderedBase62 } from '../../../../control/world/store/identifier.ts';
import { fc } from '../../../kit/property.ts';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

const entropy = openEntropy();
/** Entries until the order begins anew. */
const ORDERED = 487_000_000;

t.test('[storage] what is made later sorts later, whatever chance says', t => {
  const place = fc.integer({ min: 0, max: ORDERED });
  fc.assert(
    fc.property(place, place, fc.integer({ min: 14, max: 40 }), (one, other, length) => {
      const [a, b] = [one, other].map(at => orderedBase62(entropy, at, length)) as [string, string];
      if (!/^[0-9A-Za-z]+$/.test(a) || a.length !== length || b.length !== length) return false;
      return one === other ? a !== b && a.slice(0, 5) === b.slice(0, 5) : a < b === one < other;
    }),
  );
  t.equal(orderedBase62(entropy, 62 ** 5 * 3 + 7, 14).slice(0, 5), orderedBase62(entropy, 7, 14).slice(0, 5));
  t.throws(() => orderedBase62(entropy, 1, 13), /14 characters or more/);
  t.end();
});

t.test('[storage] records have such ids, and secrets have not', async t => {
  await using made = await openStripeWorld();
  const ids: string[] = [];
  const secrets = new Set<string>();
  for (let n = 0; n < 20; n++) {
    const intent = await made.stripe.paymentIntents.create({ amount: 500, currency: 'usd' });
    ids.push(intent.id);
    secrets.add(intent.client_secret!.split('_secret_')[1]!.slice(0, 5));
  }
  t.strictSame([...ids].sort(), ids);
  t.ok(ids.every(id => /^pi_[0-9A-Za-z]{24}$/.test(id)));
  t.equal(secrets.size, 20, 'of chance from their first character');
});
