// A server that keeps what Stripe has in a Postgres, as the documentation of Supabase's sync engine writes one; it asks for the
// version that the engine is written for. Nothing in it knows of a world. By `require`, because the engine's migrations
// look for their folder as modules of CommonJS do.
const { createServer } = require('node:http');
const { text } = require('node:stream/consumers');
const { runMigrations, StripeSync } = require('@supabase/stripe-sync-engine');

const { PORT, DATABASE_URL, STRIPE_WEBHOOK_SECRET } = process.env;

const told = fact => console.log(JSON.stringify(fact));
const logger = { info: () => undefined, error: (error, words) => told({ error: String(error), words }) };

/** What several events of one moment are about: the newest is asked for, in whatever order they arrive. */
const REVALIDATED = [
  'charge',
  'customer',
  'invoice',
  'payment_intent',
  'subscription',
  'subscription_schedule',
];

const sync = new StripeSync({
  poolConfig: { connectionString: DATABASE_URL, max: 5 },
  stripeSecretKey: 'sk_test_sync',
  stripeWebhookSecret: STRIPE_WEBHOOK_SECRET,
  stripeApiVersion: '2020-08-27',
  autoExpandLists: true,
  backfillRelatedEntities: true,
  revalidateObjectsViaStripeApi: REVALIDATED,
  logger,
});

const routes = {
  '/webhooks': async request => {
    const body = await text(request);
    await sync.processWebhook(body, request.headers['stripe-signature']);
    told({ event: JSON.parse(body).id });
  },
  '/sync': () => sync.syncBackfill({ object: 'all' }),
};

runMigrations({ databaseUrl: DATABASE_URL, schema: 'stripe', logger }).then(() =>
  createServer(async (request, response) => {
    try {
      const answer = await routes[request.url](request);
      response.end(JSON.stringify(answer ?? {}));
    } catch (error) {
      told({ failed: request.url, message: error.stack });
      response.writeHead(400).end(JSON.stringify({ error: error.message }));
    }
  }).listen(Number(PORT), '127.0.0.1', () => told({ ready: true })),
);
