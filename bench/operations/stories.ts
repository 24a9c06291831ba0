// What each twin's store is filled with: the same small piece of an app's life, many times over.
import { anthropicTwin } from '../../twins/anthropic/twin.ts';
import { openaiTwin } from '../../twins/openai/twin.ts';
import { stripeTwin } from '../../twins/stripe/twin.ts';
import type { Story } from './seed.ts';

/** A customer, and what they paid by card. */
const STRIPE: Story = {
  vendor: 'stripe',
  host: 'api.stripe.com',
  twin: stripeTwin,
  before: async tell => {
    const form = 'currency=usd&unit_amount=1000&recurring[interval]=month&product_data[name]=Gold';
    const price = await tell({ method: 'POST', path: '/v1/prices', form });
    return { price: [price.id] };
  },
  tell: async tell => {
    const form = 'name=Jane&email=nth-email%40example.com&metadata[order]=nth-order';
    const customer = await tell({ method: 'POST', path: '/v1/customers', form });
    await tell({
      method: 'POST',
      path: '/v1/payment_intents',
      form: `amount=2000&currency=usd&customer=${customer.id}&payment_method=pm_card_visa&confirm=true&return_url=https%3A%2F%2Fexample.com`,
    });
  },
  single: ['balance_account'],
};

/** A response that is kept, and a chat that is. */
const OPENAI: Story = {
  vendor: 'openai',
  host: 'api.openai.com',
  twin: openaiTwin,
  before: async () => ({}),
  tell: async tell => {
    await tell({ method: 'POST', path: '/v1/responses', json: { model: 'gpt-5', input: 'Hello?' } });
    const messages = [{ role: 'user', content: 'Hello?' }];
    const json = { model: 'gpt-5', store: true, messages };
    await tell({ method: 'POST', path: '/v1/chat/completions', json });
  },
  single: [],
};

/** A message, and a batch of one that has ended. */
const ANTHROPIC: Story = {
  vendor: 'anthropic',
  host: 'api.anthropic.com',
  twin: anthropicTwin,
  before: async () => ({}),
  tell: async tell => {
    const params = {
      model: 'claude-sonnet-4-5',
      max_tokens: 256,
      messages: [{ role: 'user', content: 'Hello?' }],
    };
    await tell({ method: 'POST', path: '/v1/messages', json: params });
    const json = { requests: [{ custom_id: 'a', params }] };
    await tell({ method: 'POST', path: '/v1/messages/batches', json });
  },
  single: [],
};

export const STORIES: { readonly [vendor: string]: Story } = {
  stripe: STRIPE,
  openai: OPENAI,
  anthropic: ANTHROPIC,
};
