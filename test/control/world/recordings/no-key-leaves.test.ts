// Whatever an app and its vendor say, in whichever field: no key of any known shape is kept in a recording, or shown.
import t from 'tap';
import { keptReply } from '../../../../control/world/recordings/kept-reply.ts';
import { laidOut } from '../../../../control/world/requests/laid-out.ts';
import { exactOf } from '../../../../twins/kit/exact-request.ts';
import { core, KEYS } from '../../../kit/secret-samples.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const BOUNDARY = 'a-boundary';
const multipart = (...parts: readonly string[]): string =>
  `${parts.map(part => `--${BOUNDARY}\r\n${part}\r\n`).join('')}--${BOUNDARY}--\r\n`;

type Part = {
  readonly path?: string;
  readonly query?: string;
  readonly body?: string;
  readonly type?: string;
};

/** What an app may send, by where the key stands. */
const ASKED: { readonly [place: string]: (secret: string) => Part } = {
  path: secret => ({ path: `/v1/keys/${encodeURIComponent(secret)}` }),
  'query value': secret => ({ query: `note=${encodeURIComponent(secret)}` }),
  'query name': secret => ({ query: `${encodeURIComponent(secret)}=1` }),
  'form value': secret => ({
    type: 'application/x-www-form-urlencoded',
    body: `a[b]=${encodeURIComponent(secret)}`,
  }),
  'form name': secret => ({
    type: 'application/x-www-form-urlencoded',
    body: `a[${encodeURIComponent(secret)}]=1`,
  }),
  'JSON value': secret => ({
    type: 'application/json',
    body: JSON.stringify({ a: [{ b: `x ${secret} y` }] }),
  }),
  'JSON name': secret => ({ type: 'application/json', body: JSON.stringify({ a: { [secret]: 1 } }) }),
  'JSON in JSON': secret => ({
    type: 'application/json',
    body: JSON.stringify({ a: JSON.stringify({ b: secret }) }),
  }),
  'Base64 in JSON': secret => ({
    type: 'application/json',
    body: JSON.stringify({ file: base64(`a ${secret}`) }),
  }),
  text: secret => ({ type: 'text/plain', body: `one ${secret} two` }),
  'a part': secret => ({
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    body: multipart(`Content-Disposition: form-data; name="note"\r\n\r\n${secret}`),
  }),
};

const base64 = (text: string): string =>
  btoa(Array.from(bytes(text), byte => String.fromCharCode(byte)).join(''));

/** What a vendor may answer. */
const ANSWERED: { readonly [place: string]: (secret: string) => { type: string; texts: readonly string[] } } =
  {
    'JSON value': secret => ({ type: 'application/json', texts: [JSON.stringify({ a: [{ b: secret }] })] }),
    'JSON name': secret => ({ type: 'application/json', texts: [JSON.stringify({ [secret]: 1 }, null, 2)] }),
    'JSON in JSON': secret => ({
      type: 'application/json',
      texts: [JSON.stringify({ a: `{"b":"${secret}"}` })],
    }),
    'Base64 in JSON': secret => ({
      type: 'application/json',
      texts: [JSON.stringify({ content: base64(secret) })],
    }),
    page: secret => ({ type: 'text/html', texts: [`<p>${secret}</p>`] }),
    'pieces of a stream': secret => {
      const half = Math.floor(secret.length / 2);
      return {
        type: 'text/event-stream',
        texts: [`data: {"a":"${secret.slice(0, half)}`, `${secret.slice(half)}"}\n\n`],
      };
    },
    'events of a stream': secret => {
      const third = Math.ceil(secret.length / 3);
      return {
        type: 'text/event-stream',
        texts: [0, 1, 2].map(at => {
          const said = secret.slice(at * third, (at + 1) * third);
          return `data: ${JSON.stringify({ delta: { text: said } })}\n\n`;
        }),
      };
    },
  };

function callOf({ path = '/x', query = '', body = '', type = '' }: Part, secret: string) {
  const headers = { 'content-type': type, 'x-note': `see ${secret.replaceAll(/\s/g, ' ')}`, accept: '*/*' };
  return { via: 'host' as const, method: 'POST', host: 'api.test', path, query, headers, body: bytes(body) };
}

/** One line, as a URL and a header take it; a private key of several lines is in bodies alone. */
const inALine = (place: string, secret: string): boolean =>
  !/\n/.test(secret) || !/path|query|form|stream/.test(place);

t.test('a request keeps no key, in no field', async t => {
  const leaks: string[] = [];
  for (const secret of Object.values(KEYS).flat())
    for (const [place, asked] of Object.entries(ASKED)) {
      if (!inALine(place, secret)) continue;
      const call = callOf(asked(secret), secret);
      const kept = JSON.stringify(exactOf(call as never, ['x-note']));
      const none = { bytes: 0, pieces: [] };
      const whole = { bytes: call.body.length, pieces: [call.body] };
      const shown = JSON.stringify(
        laidOut({ call, asked: whole, status: 200, headers: [], answered: none } as never),
      );
      if (kept.includes(core(secret))) leaks.push(`${place}, kept: ${kept}`);
      if (shown.includes(core(secret))) leaks.push(`${place}, shown: ${shown}`);
      if (place.startsWith('Base64') && `${kept}${shown}`.includes(base64(`a ${secret}`).slice(4, -4)))
        leaks.push(`${place}: ${kept}`);
    }
  t.strictSame(leaks, []);
});

t.test('an answer keeps no key, in no field', async t => {
  const leaks: string[] = [];
  for (const secret of Object.values(KEYS).flat())
    for (const [place, answered] of Object.entries(ANSWERED)) {
      if (!inALine(place, secret)) continue;
      const { type, texts } = answered(secret);
      const pieces = texts.map((text, at) => ({ atMs: at, bytes: bytes(text) }));
      const headers = [
        ['Content-Type', type],
        ['X-Note', secret.replaceAll(/\s/g, ' ')],
      ] as const;
      const kept = keptReply({ status: 200, headers, pieces, cut: false }, []);
      const said = JSON.stringify(kept);
      const text = kept.ok ? (kept.reply.raw?.chunks ?? []).map(chunk => chunk.text ?? '').join('') : '';
      const spoken = [...text.matchAll(/"text":"([^"]*)"/g)].map(([, part]) => part).join('');
      if (said.includes(core(secret)) || spoken.includes(core(secret))) leaks.push(`${place}: ${said}`);
      if (place.startsWith('Base64') && said.includes(base64(secret).slice(4, -4)))
        leaks.push(`${place}: ${said}`);
    }
  t.strictSame(leaks, []);
});
