// What is told of webhooks, and one sent again: over the world's endpoints, and by the commands that ask them.
import t from 'tap';
import { type Command, readArguments } from '../../../cli/command.ts';
import { worldWebhooks, worldWebhooksResend } from '../../../cli/commands/webhooks.ts';
import { openOutput } from '../../../cli/output.ts';
import { openGatedSite } from '../../kit/gated-site.ts';

t.test('[4.4] webhooks are listed, shown and sent again', async t => {
  await using gated = await openGatedSite();
  const { site, listener } = gated;
  const { notes, token, readToken } = site;
  const as = (credential: string) => [['x-wrld-token', credential]] as const;
  await notes.ask('PUT', '/hooks/h', { url: 'http://hook.test/?secret=1', secret: 'whsec_quiet' });
  await notes.ask('PUT', '/notes/a', { tag: 'x\u001b[2J' });
  await notes.world.settled();

  const get = (path: string, credential = readToken) => gated.ask({ path, headers: as(credential) });
  t.match((await get('webhooks')).json, {
    webhooks: [{ id: 'note:delivery:1', state: 'delivered', endpoint: { url: 'http://hook.test/' } }],
    next: null,
  });
  t.match((await get('webhooks?limit=0')).json, { error: { code: 'bad-limit' } });
  const signed = (answer: { json: { tries: { signed: { value: string | null }[] }[] } }) =>
    answer.json.tries[0]!.signed.map(({ value }) => value);
  t.strictSame(signed(await get('webhooks/note/1')), [null], 'a reader could send it himself, else');
  t.match(signed(await get('webhooks/note/1', token)), [/^t=/]);
  t.notMatch((await get('webhooks/note/1', token)).text, /whsec_|secret=1/);

  const resend = (path: string, credential = token) =>
    gated.ask({ method: 'POST', path, headers: as(credential), body: {} });
  t.equal((await resend('webhooks/note/1/resend', readToken)).status, 403);
  t.equal((await resend('webhooks/note/1x/resend')).status, 404);
  t.equal((await resend('webhooks/note/2/resend')).status, 404);
  t.match(await resend('webhooks/note/1/resend'), { status: 202, json: { state: 'sending', attempts: 1 } });
  await notes.world.settled();
  t.match((await get('webhooks/note/1')).json, { state: 'delivered', tries: [{}, {}] });

  const wrld = async (command: Command, ...args: readonly string[]) => {
    const read = readArguments(command, args);
    if (!read.ok) throw new Error(read.why);
    const lines: string[] = [];
    const into = { write: (text: string) => lines.push(text) > 0, isTTY: false, columns: 200 };
    // What of a terminal is used here is no more than this.
    const output = openOutput(into as never, into as never, {});
    const env = { WRLD_WORLD: `http://127.0.0.1:${listener.port}/acme/notes`, WRLD_WORLD_TOKEN: token };
    const code = await command.run(read.given, { output, folder: '/', env });
    return { code, out: lines.join('') };
  };
  t.match(await wrld(worldWebhooks), {
    code: 0,
    out: /note:1 +.* delivered +answered 200 +2 .*http:\/\/hook\.test\/ +note\.put/,
  });
  t.match(await wrld(worldWebhooks, '--failed'), { code: 0, out: 'No webhooks.\n' });
  const one = await wrld(worldWebhooks, 'note:1');
  t.match(one, { code: 0, out: /answered 200, \d+ ms, signature: holds\n {2}Stripe-Signature: t=/ });
  t.notMatch(one.out, /\u001b\[2J/);
  t.match(await wrld(worldWebhooksResend, 'note:delivery:1'), {
    code: 0,
    out: /note\.put goes to http:\/\/hook\.test\/ once more\.\n/,
  });
  await notes.world.settled();
  notes.sql.run('UPDATE delivery SET body = NULL');
  t.match(await resend('webhooks/note/1/resend'), {
    status: 409,
    json: { error: { code: 'body-not-kept' } },
  });
  t.match(await wrld(worldWebhooksResend, 'note:1'), { code: 1, out: /is not kept any more/ });
  t.match(await wrld(worldWebhooks, 'note:1'), { code: 0, out: /kept no more/ });
  t.match(await wrld(worldWebhooks, 'note'), { code: 2, out: /is no webhook’s id/ });
  t.match(await wrld(worldWebhooksResend), { code: 2, out: /needs a webhook’s id/ });
  t.match(JSON.parse((await wrld(worldWebhooks, '--json')).out), { webhooks: [{ attempts: 3 }] });
});
