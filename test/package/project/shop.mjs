// What is tested: it knows Stripe's address and key, and nothing of worlds.
const url = 'https://api.stripe.com/v1/customers';
const headers = { authorization: 'Bearer sk_test_x' };

export async function charge(email) {
  const answer = await fetch(url, { method: 'POST', headers, body: new URLSearchParams({ email }) });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
}

export async function customers() {
  const answer = await fetch(url, { headers });
  return (await answer.json()).data.map(({ email }) => email);
}
