// Where a world ends: what it has of a customer, what the vendor would not know, and a host that nobody granted.
import Stripe from 'stripe';
import { tell } from './world.mjs';

const [, , id, name] = process.argv;
const stripe = new Stripe('sk_test_edges', { maxNetworkRetries: 0 });

const before = await stripe.customers.retrieve(id);
const after = await stripe.customers.update(id, { name });
const unknown = await stripe.rawRequest('GET', '/v1/no_such_thing').catch(error => error);
const stray = await fetch('https://api.nobody.example/v1/things').catch(error => error);

tell({
  before: before.name,
  after: after.name,
  unknown: { status: unknown.statusCode, type: unknown.rawType },
  stray: {
    missing: stray.worldRefusal.missing,
    words: stray.message,
    rule: stray.worldRefusal.rule,
  },
});
