// A report as a reviewer reads it.
import t from 'tap';
import { REPORT_CHARS_MAX } from '../../../cli/limits.ts';
import { reportMarkdown } from '../../../cli/report/markdown.ts';
import type { ToldReport } from '../../../cli/report/report.ts';
import { openStripeWorld } from '../../kit/stripe-world.ts';

async function told(
  work: (shop: Awaited<ReturnType<typeof openStripeWorld>>) => Promise<unknown>,
): Promise<ToldReport> {
  await using shop = await openStripeWorld({ send: async () => ({ ok: true, status: 500, ms: 1 }) });
  await work(shop);
  await shop.world.settled();
  const found = await shop.world.reports.since(null);
  if (!found.ok) throw new Error(found.message);
  const refusals = [
    {
      rule: 'not-granted',
      target: 'https://api.mailgun.test/v3',
      missing: 'grant',
      reason: 'This world lists no grant for it.',
      see: 'http://127.0.0.1/',
      count: 3,
      agent: null,
    },
  ];
  return { ...found.report, refusals, refusalsLeft: 0 };
}

t.test('[2.6] records with what they were and are, operations, webhooks, refusals, actions', async t => {
  const text = reportMarkdown(
    await told(async ({ stripe, ask }) => {
      await stripe.webhookEndpoints.create({ url: 'http://hook.test/', enabled_events: ['*'] });
      const { id } = await stripe.customers.create({ name: 'Ann | <b>[x](http://evil.test)</b> @all' });
      await stripe.customers.update(id, { description: 'line one\nline two' });
      await ask('GET', '/v1/apple_pay/domains');
    }),
  );
  t.match(text, '| Vendor | Created | Changed | Ended | Requests | Operations | Webhooks |');
  t.match(text, /\| `stripe` \| \d \| 0 \| 0 \| 4 \| \*\*1 generic\*\* \| 0, \*\*\d failed\*\* \|/);
  t.match(
    text,
    /<summary><b>created<\/b> customer “Ann \| &lt;b&gt;\[x\]\(http:\u200b\/\/evil\.test\)&lt;\/b&gt; @\u200ball” <code>cus_/,
  );
  t.match(text, '| `name` | `Ann \\| <b>[x](http://evil.test)</b> @all` |');
  t.match(text, '| `description` | `line one line two` |');
  t.match(text, '| `GET /v1/apple_pay/domains` | **generic** | 1 | 0 |  |');
  t.match(text, '| `not-granted` | `https://api.mailgun.test/v3` | 3 | This world lists no grant for it. |');
  t.match(text, /\| a2 \| `stripe` \| create \| `customer` Ann \\\| &lt;b&gt;/);
  t.match(text, /`POST \/v1\/customers\/\{customer cus_\w+\}`/);
  t.notMatch(text, 'whsec_');
});

t.test('a long one fits into a comment, and says how much more there is', async t => {
  const long = await told(async ({ ask }) => {
    const metadata = Array.from({ length: 30 }, (_, n) => `metadata[k${n}]=${'x'.repeat(400)}`).join('&');
    for (let nth = 0; nth < 60; nth++)
      await ask('POST', '/v1/customers', { form: `name=c${nth}&${metadata}` });
  });
  const text = reportMarkdown(long);
  t.ok(text.length <= REPORT_CHARS_MAX, String(text.length));
  t.match(text, /_and \d+ more records_/);
  t.match(text, /A deploy would perform (?:60 actions|0 actions and skip 60)\./);
});

t.test('where nothing happened it says so', async t => {
  t.match(reportMarkdown({ ...(await told(async () => {})), refusals: [] }), 'Nothing happened.');
});
