// docs/twins/*.coverage.json say what is so: of SMTP each word is said to the twin, of the SDKs a few well-known
// names stand for how their tree is read (that the files are fresh is `npm run check`'s).
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { createSecureContext } from 'node:tls';
import t from 'tap';
import type { LeafCache } from '../../certs/cache.ts';
import { openSmtp } from '../../control/node/smtp-wire.ts';
import { describedTwins } from '../../scripts/twins.ts';
import type { WireSession } from '../../twins/kit/wire.ts';

const twins = new Map(describedTwins().map(twin => [twin.manifest.vendor, twin]));
const tiersOf = (vendor: string): ReadonlyMap<string, string> =>
  new Map(twins.get(vendor)?.coverage.operations.map(({ route, tier }) => [route, tier]));

async function conversation(t: { teardown(end: () => void): void }) {
  const ignore = (): void => undefined;
  const session = {
    act: async () => ({ status: 200, headers: [], body: '' }),
  } as unknown as WireSession;
  const wire = openSmtp({
    contexts: { contextFor: () => createSecureContext() } as unknown as LeafCache,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  const server = createServer(socket => wire(socket, session)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  t.teardown(() => {
    socket.destroy();
    server.close();
  });
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const answer = async (): Promise<string[]> => {
    const held: string[] = [];
    for (;;) {
      const { value = '', done } = await lines.next();
      held.push(value);
      if (done === true || value[3] !== '-') return held;
    }
  };
  await answer();
  return async (line: string): Promise<string[]> => {
    socket.write(`${line}\r\n`);
    return answer();
  };
}

t.test('[2.2] every word of SMTP is answered by its tier', async t => {
  const say = await conversation(t);
  const tiers = tiersOf('smtp');
  const announced = (await say('EHLO a.example')).slice(1).flatMap(line => {
    const [word = '', ...more] = line.slice(4).split(' ');
    return word === 'AUTH' ? more.map(kind => `AUTH ${kind}`) : [word];
  });
  for (const word of announced) t.equal(tiers.get(word), 'modelled', `${word} is announced and listed`);
  const commands = new Set(['EHLO', 'HELO', 'MAIL', 'RCPT', 'DATA', 'RSET', 'NOOP', 'HELP', 'VRFY', 'QUIT']);
  const others = new Set(['EXPN', 'BDAT', 'ETRN']);
  for (const [word, tier] of tiers) {
    if (commands.has(word) || others.has(word)) continue;
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
    const [answer = ''] = await say(line);
    t.match(answer, /^2/, line);
    t.equal(tiers.get(line.split(' ')[0] ?? ''), 'modelled');
  }
  t.match(await say('DATA'), [/^354/]);
  t.match(await say('Subject: x\r\n\r\nx\r\n.'), [/^250/]);
  for (const word of others) {
    t.match(await say(`${word} 1`), [/^50/], `${word} is refused`);
    t.equal(tiers.get(word), 'unmodelled');
  }
  t.match(await say('RSET'), [/^250/]);
  t.match(await say('QUIT'), [/^221/]);
});

t.test('[2.2] the SDKs’ trees are read whole', t => {
  const openai = tiersOf('openai');
  for (const route of ['POST /v1/chat/completions', 'POST /v1/embeddings', 'GET /v1/files/{}/content']) {
    t.equal(openai.get(route), 'modelled', route);
  }
  t.equal(openai.get('POST /v1/images/generations'), 'unmodelled');
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
    if (manifest.vendor !== 'smtp') t.equal(coverage.operations.length, manifest.coverage.catalog);
  }
  t.end();
});
