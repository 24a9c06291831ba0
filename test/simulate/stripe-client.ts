// Asks of Stripe's twin, by the ids that its answers named: customers, payments and subscriptions to one price, and an
// endpoint that hears of all of it.
import type { Reply } from '../../twins/kit/reply.ts';
import type { Calls } from './calls.ts';
import type { Life } from './life.ts';
import type { Machine, Served } from './machine.ts';
import type { Act } from './schedule.ts';
import { Violation } from './violation.ts';

const VENDOR = 'stripe';
const ENDPOINT = 'url=https%3A%2F%2Fapp.test%2Fstripe&enabled_events%5B%5D=*';

type Ask = Extract<Act, { readonly do: 'stripe' }>;
type Asked = {
  readonly method: string;
  readonly path: string;
  readonly form: string;
  readonly made?: string[];
};

export class StripeClient {
  readonly #calls: Calls;
  #price = '';
  #customers: string[] = [];
  #subscriptions: string[] = [];

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** An endpoint, a price and a customer, all of them answered. */
  async open(machine: Machine): Promise<void> {
    const served = machine.pick(0)!;
    const must = async (path: string, form: string): Promise<string> => {
      const reply = await machine.until(this.#send(served, { method: 'POST', path, form }, machine.life));
      const id = reply === undefined || reply === null ? undefined : idOf(reply);
      if (id === undefined) throw new Violation(`Stripe did not make ${path}: ${reply?.body}`);
      return id;
    };
    await must('/v1/webhook_endpoints', ENDPOINT);
    const product = await must('/v1/products', 'name=Plan');
    this.#price = await must(
      '/v1/prices',
      `product=${product}&currency=usd&unit_amount=1500&recurring%5Binterval%5D=month`,
    );
    this.#customers = [await must('/v1/customers', CARD)];
  }

  ask(served: Served, ask: Ask, life: Life): void {
    const asked = this.#asked(ask);
    if (asked === null) return;
    void this.#send(served, asked, life).then(reply => {
      const id = reply === null ? undefined : idOf(reply);
      if (id !== undefined) asked.made?.push(id);
    });
  }

  #asked({ what, n }: Ask): Asked | null {
    const customer = this.#customers[n % this.#customers.length]!;
    const subscription = this.#subscriptions[n % Math.max(this.#subscriptions.length, 1)];
    switch (what) {
      case 'customer':
        return { method: 'POST', path: '/v1/customers', form: CARD, made: this.#customers };
      case 'intent': {
        const form = `amount=${1000 + n}&currency=usd&customer=${customer}&payment_method=pm_card_visa&confirm=true&return_url=https%3A%2F%2Fapp.test`;
        return { method: 'POST', path: '/v1/payment_intents', form };
      }
      case 'subscription': {
        const form = `customer=${customer}&items%5B0%5D%5Bprice%5D=${this.#price}`;
        return { method: 'POST', path: '/v1/subscriptions', form, made: this.#subscriptions };
      }
      case 'cancel':
        if (subscription === undefined) return null;
        return { method: 'DELETE', path: `/v1/subscriptions/${subscription}`, form: '' };
      case 'delete':
        return { method: 'DELETE', path: `/v1/customers/${customer}`, form: '' };
      case 'read':
        return { method: 'GET', path: '/v1/customers', form: '' };
    }
  }

  #send(served: Served, { method, path, form }: Asked, life: Life): Promise<Reply | null> {
    const headers = {
      authorization: 'Bearer sk_test_wrld',
      ...(form === '' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    const call = { host: 'api.stripe.com', method, path, headers, body: new TextEncoder().encode(form) };
    const made = method === 'POST';
    return this.#calls.ask(served, VENDOR, call, { alive: () => life.alive, writes: made });
  }
}

const CARD =
  'email=ada%40example.com&payment_method=pm_card_visa&invoice_settings%5Bdefault_payment_method%5D=pm_card_visa';

const idOf = ({ status, body }: Reply): string | undefined =>
  status === 200 && typeof body === 'string' ? (JSON.parse(body) as { id?: string }).id : undefined;
