// docs/twins/*.coverage.json say what is so: of SMTP each word is said to the twin, of the SDKs a few well-known
// names stand for how their tree is read (that the files are fresh is `npm run check`'s).
import t from 'tap';
import { LLM_CONSTANT_FIELDS } from '../../scripts/llm-constants.ts';
import { llmGaps } from '../../scripts/llm-gaps.ts';
import { reachOf, sourcesOf } from '../../scripts/reach.ts';
import { smtpGaps } from '../../scripts/smtp-coverage.ts';
import { CONSTANT_FIELDS, isNamed } from '../../scripts/stripe-constants.ts';
import { stripeGaps } from '../../scripts/stripe-gaps.ts';
import { describedTwins } from '../../scripts/twins.ts';
import { COMMANDS, OTHER_COMMANDS, OTHER_PARAMETERS, PARAMETERS } from '../../twins/smtp/protocol.ts';
import { OPERATIONS } from '../../twins/stripe/operations.ts';
import { wholeLlm } from '../fidelity/llm-whole.ts';
import type { Peer } from '../kit/peer.ts';
import { openSmtpWorld } from '../kit/smtp-world.ts';

const twins = new Map(describedTwins().map(twin => [twin.manifest.vendor, twin]));
const tiersOf = (vendor: string): ReadonlyMap<string, string> =>
  new Map(twins.get(vendor)?.coverage.operations.map(({ route, tier }) => [route, tier]));

/** Says a line and answers the reply to it, line by line. */
async function say(peer: Peer, line: string): Promise<string[]> {
  await peer.send(`${line}\r\n`);
  const held: string[] = [];
  for (;;) {
    const read = (await peer.readUntil('\r\n', 'a reply')).toString('latin1').trimEnd();
    held.push(read);
    if (read[3] !== '-') return held;
  }
}

t.test('[2.2] every word of SMTP is answered by its tier', async t => {
  await using world = await openSmtpWorld();
  const peer = await world.talk();
  const tiers = tiersOf('smtp');
  const announced = (await say(peer, 'EHLO a.example')).slice(1).flatMap(line => {
    const [word = '', ...more] = line.slice(4).split(' ');
    return word === 'AUTH' ? more.map(kind => `AUTH ${kind}`) : [word];
  });
  for (const word of announced) t.equal(tiers.get(word), 'modelled', `${word} is announced and listed`);
  for (const [word, tier] of tiers) {
    if (COMMANDS.includes(word) || OTHER_COMMANDS.includes(word)) continue;
    t.equal(announced.includes(word), tier === 'modelled', `${word} is ${tier}`);
  }
  const said = [
    'HELO a.example',
    'MAIL FROM:<a@b.example>',
    'RCPT TO:<c@d.example>',
    'NOOP',
    'HELP',
    'VRFY x',
  ];
  for (const line of said) {
    const [answer = ''] = await say(peer, line);
    t.match(answer, /^2/, line);
    t.equal(tiers.get(line.split(' ')[0] ?? ''), 'modelled');
  }
  t.match(await say(peer, 'DATA'), [/^354/]);
  t.match(await say(peer, 'Subject: x\r\n\r\nx\r\n.'), [/^250/]);
  for (const word of OTHER_COMMANDS) {
    t.match(await say(peer, `${word} 1`), [/^50/], `${word} is refused`);
    t.equal(tiers.get(word), 'unmodelled');
  }
  t.match(await say(peer, 'RSET'), [/^250/]);
  t.match(await say(peer, 'QUIT'), [/^221/]);
});

t.test('[2.2] the SDKs’ trees are read whole', t => {
  const openai = tiersOf('openai');
  for (const route of ['POST /v1/chat/completions', 'POST /v1/embeddings', 'GET /v1/files/{}/content']) {
    t.equal(openai.get(route), 'modelled', route);
  }
  t.equal(openai.get('POST /v1/images/generations'), 'modelled');
  t.equal(openai.get('POST /v1/evals'), 'unmodelled');
  const anthropic = tiersOf('anthropic');
  for (const route of ['POST /v1/messages', 'GET /v1/messages/batches/{}/results']) {
    t.equal(anthropic.get(route), 'modelled', route);
  }
  const stripe = tiersOf('stripe');
  t.equal(stripe.get('POST /v1/invoices/{}/finalize'), 'modelled');
  t.equal(stripe.get('POST /v1/entitlements/features'), 'generic');
  for (const { manifest, coverage } of twins.values()) {
    const { modelled, generic, unmodelled } = coverage.tiers;
    t.equal(modelled + generic + unmodelled, coverage.operations.length);
    t.equal(new Set(coverage.operations.map(({ route }) => route)).size, coverage.operations.length);
    t.same(manifest.coverage, { modelled, generic, catalog: coverage.operations.length });
  }
  t.end();
});

t.test(
  '[3] of each operation it is said why a deploy does not ask for it, in the words of its receipt',
  t => {
    const told = (vendor: string): ReadonlyMap<string, string | undefined> =>
      new Map(twins.get(vendor)?.coverage.operations.map(({ route, undeployed }) => [route, undeployed]));
    const openai = told('openai');
    t.match(openai.get('POST /v1/responses'), /^a model answered it here/);
    t.equal(openai.get('POST /v1/files'), undefined);
    t.equal(openai.get('DELETE /v1/responses/{}'), undefined);
    const anthropic = told('anthropic');
    t.match(anthropic.get('POST /v1/messages'), /^a model answered it here/);
    t.equal(anthropic.get('POST /v1/messages/batches'), undefined);
    const stripe = told('stripe');
    t.match(stripe.get('POST /v1/files'), /files\.stripe\.com/);
    t.match(stripe.get('POST /v1/test_helpers/test_clocks/{}/advance'), /^a test helper/);
    t.equal(stripe.get('POST /v1/customers'), undefined);
    t.equal(told('smtp').get('DATA'), 'no mail is sent on');
    for (const { coverage } of twins.values())
      for (const { route, undeployed } of coverage.operations)
        if (route.startsWith('GET ')) t.equal(undeployed, undefined, route);
    t.end();
  },
);

t.test('[4.1] what the Stripe twin refuses, ignores and never changes is found by name', t => {
  const { refused, ignored, constants } = stripeGaps();
  const has = (of: typeof refused, name: string): boolean => of.missing.includes(name);
  t.ok(has(refused, 'prices.create: product_data[tax_details]'));
  t.notOk(has(refused, 'prices.create: custom_unit_amount'));
  t.ok(has(refused, 'subscriptions.create: items[current_trial]'), 'a nested one');
  t.notOk(has(refused, 'prices.create: currency_options'));
  t.notOk(has(refused, 'subscriptions.create: items[price_data][recurring]'));
  t.ok(has(refused, 'invoices.pay: forgive'));
  t.ok(has(ignored, 'tokens.create: pii[id_number]'));
  t.notOk(has(ignored, 'invoices.pay: source'));
  t.ok(has(constants, 'subscription.livemode'));
  for (const name of ['subscription.status', 'customer.delinquent', 'customer.currency'])
    t.notOk(has(constants, name), name);
  t.equal(ignored.of, refused.of - refused.missing.length);
  t.end();
});

t.test(
  '[4.1] an operation reads what its own file reads and what that imports, and not whatever has the same name',
  t => {
    const reach = (name: string): readonly string[] =>
      reachOf(name, sourcesOf('stripe')).map(({ file }) => file);
    const sessions = reach('checkout.sessions.create');
    t.ok(sessions.includes('twins/stripe/checkout/sessions.ts'));
    t.ok(sessions.includes('twins/stripe/checkout/open-session.ts'));
    t.notOk(
      sessions.some(file => file.startsWith('twins/stripe/billing/portal')),
      'customer_update is the portal’s too',
    );
    t.ok(
      reach('issuing.authorizations.approve').includes('twins/stripe/issuing/authorizations.ts'),
      'a name that is put together',
    );
    for (const { name } of OPERATIONS) t.ok(reach(name).length > 0, name);
    t.end();
  },
);

t.test('[4.1] every constant field has a reason, and every reason a constant', t => {
  const { missing } = stripeGaps().constants;
  const reasons = CONSTANT_FIELDS.flatMap(({ fields }) => fields);
  for (const constant of missing)
    t.equal(
      reasons.filter(field => isNamed(field, constant)).length,
      1,
      `${constant}: make it true, or write in scripts/stripe-constants.ts why it can have no other value`,
    );
  for (const field of reasons)
    t.ok(
      missing.some(constant => isNamed(field, constant)),
      `${field} is no constant any more`,
    );
  t.end();
});

t.test('[4.1] what the twins of models refuse, ignore and never change is found by name', t => {
  const openai = llmGaps('openai');
  for (const name of [
    'completions.create: suffix',
    'chat.completions.create: prediction',
    'images.edit: mask',
  ])
    t.ok(openai.ignored.missing.includes(name), name);
  for (const name of [
    'chat.completions.create: n',
    'batches.create: output_expires_after',
    'responses.create: tools',
  ])
    t.notOk(openai.ignored.missing.includes(name), name);
  t.ok(openai.refused.missing.includes('responses.inputTokens.count: personality'));
  const { ignored } = llmGaps('anthropic');
  t.ok(ignored.missing.includes('messages.create: tools[].max_uses'), 'a nested one');
  for (const vendor of ['openai', 'anthropic'] as const) {
    const { refused, ignored: left, constants } = llmGaps(vendor);
    t.equal(left.of, refused.of - refused.missing.length);
    const reasons = LLM_CONSTANT_FIELDS[vendor]!.flatMap(({ fields }) => fields);
    t.strictSame([...reasons].sort(), constants.missing, `${vendor}: every constant has its reason`);
  }
  t.end();
});

t.test('[4.1] every answer of the models’ twins has what the SDK declares as always there', async t => {
  for (const vendor of ['openai', 'anthropic'] as const) {
    const { of, good, failed } = await wholeLlm(vendor);
    t.strictSame(failed, [], vendor);
    t.equal(good, of);
    t.ok(of >= 15, `${of} answers of ${vendor}`);
  }
});

t.test(
  '[2.2] a parameter of SMTP is taken where its extension is announced, and refused by name where not',
  async t => {
    await using world = await openSmtpWorld();
    const peer = await world.talk();
    await say(peer, 'EHLO a.example');
    const values: { readonly [name: string]: string } = {
      SIZE: '=10',
      BODY: '=8BITMIME',
      AUTH: '=<>',
      RET: '=FULL',
    };
    const line = (word: string, name: string): string =>
      `${word === 'MAIL' ? 'MAIL FROM' : 'RCPT TO'}:<a@b.example> ${name}${values[name] ?? (/^(SMTPUTF8|REQUIRETLS)$/.test(name) ? '' : '=x')}`;
    for (const word of ['MAIL', 'RCPT'] as const) {
      for (const name of PARAMETERS[word]) {
        t.match(await say(peer, line(word, name)), [/^250/], `${word} ${name}`);
        await say(peer, 'RSET');
      }
      for (const name of OTHER_PARAMETERS[word]) {
        if (word === 'RCPT') await say(peer, 'MAIL FROM:<a@b.example>');
        t.match(await say(peer, line(word, name)), [/^5\d\d/], `${word} ${name}`);
        await say(peer, 'RSET');
      }
    }
    t.equal(smtpGaps().refused.missing.length, OTHER_PARAMETERS.MAIL.length + OTHER_PARAMETERS.RCPT.length);
  },
);
