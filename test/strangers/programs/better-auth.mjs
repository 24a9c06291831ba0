// An app with an account and a subscription, as the documentation of Better Auth's plugin for Stripe writes one. Nothing in it
// knows of a world. Its database is a file, which whoever started it may read.
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { stripe } from '@better-auth/stripe';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import Stripe from 'stripe';

const { PORT, DATABASE, STRIPE_WEBHOOK_SECRET, PRO_PRICE, PRO_ANNUAL_PRICE, TEAM_PRICE } = process.env;

const auth = betterAuth({
  baseURL: `http://127.0.0.1:${PORT}`,
  secret: 'better-auth-secret-of-thirty-two-bytes',
  database: new DatabaseSync(DATABASE),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  user: { changeEmail: { enabled: true, updateEmailWithoutVerification: true } },
  plugins: [
    stripe({
      stripeClient: new Stripe('sk_test_better_auth'),
      stripeWebhookSecret: STRIPE_WEBHOOK_SECRET,
      createCustomerOnSignUp: true,
      subscription: {
        enabled: true,
        plans: [
          {
            name: 'pro',
            priceId: PRO_PRICE,
            annualDiscountPriceId: PRO_ANNUAL_PRICE,
            limits: { projects: 5 },
            freeTrial: { days: 14 },
          },
          { name: 'team', priceId: TEAM_PRICE, limits: { projects: 50 } },
        ],
      },
      // The plugin has done its part of an event by then.
      onEvent: async event => told({ event: event.type, object: event.data.object }),
    }),
  ],
});

await (await getMigrations(auth.options)).runMigrations();
createServer(toNodeHandler(auth)).listen(Number(PORT), '127.0.0.1', () => told({ ready: true }));

function told(fact) {
  console.log(JSON.stringify(fact));
}
