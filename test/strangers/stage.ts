// The world that a program of strangers runs in, as the one sees it who looks what became of it.
import Stripe from 'stripe';

export type Stage = {
  readonly folder: string;
  /** An endpoint of the world's own. */
  // biome-ignore lint/suspicious/noExplicitAny: each test says what it expects of an answer
  readonly ask: (method: string, path: string, body?: object) => Promise<any>;
};

/** The second client, and the merchant's own: Stripe's SDK in this process. */
export function merchant(version?: string): Stripe {
  const pinned = version === undefined ? {} : { apiVersion: version as typeof Stripe.API_VERSION };
  return new Stripe('sk_test_second', { httpClient: Stripe.createFetchHttpClient(), ...pinned });
}

/** Sets the world's clock to its own now where nobody has, then moves it on. */
export async function moveClock({ ask }: Stage, by: string): Promise<void> {
  const now = await ask('GET', 'clock');
  if (!now.frozen) await ask('PUT', 'clock', { at: now.at });
  await ask('POST', 'clock/advance', { by });
}

/** A form on one of the vendor's pages is filled in and sent; where the browser goes then, null: it stays. */
export async function submit(url: string, fields: Readonly<Record<string, string>>): Promise<string | null> {
  const page = await fetch(url);
  const text = await page.text();
  if (!page.ok || !text.includes('<form')) throw new Error(`${url}: ${page.status} has no form: ${text}`);
  const answer = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
  if (answer.status >= 400) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.headers.get('location');
}
