// An exchange as it is shown: readable, and without a secret in it.
import t from 'tap';
import type { Exchange } from '../../../../control/world/requests/exchanges.ts';
import { laidOut } from '../../../../control/world/requests/laid-out.ts';

const SECRET = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc';
const bytes = (text: string) => ({ bytes: text.length, pieces: [text] });
const NONE = { bytes: 0, pieces: [] };

type Some = Partial<Omit<Exchange, 'call'>> & { readonly call?: Partial<Exchange['call']> };

const exchange = (more: Some = {}): Exchange => ({
  asked: NONE,
  status: 200,
  headers: [['Content-Type', 'application/json']],
  answered: NONE,
  ...more,
  call: { via: 'host', method: 'POST', host: 'api.test', path: '/x', query: '', headers: {}, ...more.call },
});

t.test('[5] no credential of a request is shown, wherever it stands', t => {
  const shown = laidOut(
    exchange({
      call: {
        query: `key=${SECRET}&page=2`,
        headers: {
          authorization: `Bearer ${SECRET}`,
          cookie: 'session=abcdefghijklmnop',
          'x-api-key': 'short',
          accept: ['a/b', 'c/d'],
          'content-type': 'application/x-www-form-urlencoded',
        },
      },
      asked: bytes(`name=Ada&password=hunter22&cvc=123&items[0][price]=p`),
      answered: bytes(JSON.stringify({ client_secret: 'pi_123456_secret_abcdef', echo: SECRET, n: 1 })),
      headers: [
        ['Content-Type', 'application/json'],
        ['Set-Cookie', 'sid=1234'],
      ],
    }),
    { headers: [], secrets: /^cvc$/ },
  );
  const told = JSON.stringify(shown);
  for (const secret of [SECRET, 'abcdefghijklmnop', 'short', 'hunter22', '123&', 'secret_abcdef', 'sid=1234'])
    t.notOk(told.includes(secret), secret);
  const { request, answer } = shown;
  t.same(request.headers, [
    ['authorization', 'Bearer masked-credential'],
    ['cookie', 'session=masked-credential'],
    ['x-api-key', 'masked-credential'],
    ['accept', 'a/b'],
    ['accept', 'c/d'],
    ['content-type', 'application/x-www-form-urlencoded'],
  ]);
  t.match(request.query, /^key=masked-credential&page=2$/);
  const form = new URLSearchParams(request.body.text!);
  t.equal(form.get('name'), 'Ada');
  t.equal(form.get('items[0][price]'), 'p');
  t.equal(form.get('cvc'), 'masked-credential', 'what the twin says is secret');
  t.match(JSON.parse(answer.body.text!), { n: 1, echo: 'masked-credential' });
  t.end();
});

t.test('[4.9] what is no secret is shown as it was', t => {
  const text = '{"a": 1.0,\n "b": [true]}';
  t.equal(laidOut(exchange({ answered: bytes(text) })).answer.body.text, text, 'to the byte');
  const events = 'event: a\ndata: {"x":1}\n\ndata: [DONE]\n\n';
  const stream = exchange({
    headers: [['content-type', 'text/event-stream']],
    answered: {
      bytes: events.length,
      pieces: [events.slice(0, 9), new TextEncoder().encode(events.slice(9))],
    },
  });
  t.equal(laidOut(stream).answer.body.text, events);
  const png = new Uint8Array([137, 80, 78, 71, 255]);
  const image = exchange({ headers: [['content-type', 'image/png']], answered: { bytes: 5, pieces: [png] } });
  t.strictSame(laidOut(image).answer.body, { bytes: 5, text: null, image: 'iVBOR/8=' });
  const binary = exchange({ headers: [], answered: { bytes: 5, pieces: [png] } });
  t.strictSame(laidOut(binary).answer.body, { bytes: 5, text: null, image: null });
  const longer = exchange({ answered: { bytes: 99, pieces: null } });
  t.strictSame(laidOut(longer).answer.body, { bytes: 99, text: null, image: null });
  const svg = exchange({ headers: [['content-type', 'image/svg+xml']], answered: bytes('<svg/>') });
  t.strictSame(
    laidOut(svg).answer.body,
    { bytes: 6, text: '<svg/>', image: null },
    'what may hold a script is text',
  );
  t.end();
});
