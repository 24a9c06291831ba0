// A file of somebody's suite, run by Jest in a sandbox of its own.
const https = require('node:https');

const headers = { authorization: 'Bearer sk_test_x', 'content-type': 'application/x-www-form-urlencoded' };
const url = 'https://api.stripe.com/v1/customers';

const charge = email => fetch(url, { method: 'POST', headers, body: new URLSearchParams({ email }) });

const customers = () =>
  new Promise((resolve, reject) => {
    https
      .get(url, { headers }, async answer => {
        const parts = [];
        for await (const part of answer) parts.push(part);
        resolve(JSON.parse(Buffer.concat(parts).toString()).data.map(({ email }) => email));
      })
      .on('error', reject);
  });

test('the first writes', async () => {
  await charge('first@example.com');
  expect(await customers()).toEqual(['first@example.com', 'seed@example.com']);
});

test('the second does not see it', async () => {
  expect(await customers()).toEqual(['seed@example.com']);
  expect(await world.refusals()).toEqual([]);
  world.on('openai', ({ said }) => `no ${said.lastUser}`);
  const answer = await fetch('https://api.openai.com/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-x', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5', input: 'way' }),
  });
  expect((await answer.json()).output[0].content[0].text).toBe('no way');
});

const failing = process.env.WRLD_FAIL === undefined ? test.skip : test;
failing('fails where it is told to', async () => {
  await fetch('https://api.elsewhere.example/');
});
