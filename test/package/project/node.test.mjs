// A file of somebody's suite, run by `node --test`: its own client of Stripe's, its own words.
import assert from 'node:assert';
import { test } from 'node:test';
import { useWorld } from 'wrld/node-test';
import { charge, customers } from './shop.mjs';

const world = useWorld({ twins: ['stripe', 'openai'], seed: () => charge('seed@example.com') });

test('the first writes', async () => {
  await charge('first@example.com');
  assert.deepEqual(await customers(), ['first@example.com', 'seed@example.com']);
});

test('the second does not see it', async () => {
  assert.deepEqual(await customers(), ['seed@example.com']);
  world.on('openai', ({ said }) => `no ${said.lastUser}`);
  const answer = await fetch('https://api.openai.com/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-x', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5', input: 'way' }),
  });
  assert.equal((await answer.json()).output[0].content[0].text, 'no way');
});

test('fails where it is told to', { skip: process.env.WRLD_FAIL === undefined }, async () => {
  await fetch('https://api.elsewhere.example/');
});
