// What the core relies on when it sends requests of its own (control/ports/outbound.ts).
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../control/ports/outbound.ts';
import type { Case, Expect } from './suite.ts';

export type OutboundHost = {
  readonly outbound: Outbound;
  /** Where a peer answers (test/kit/outbound-peer.ts), without a slash at the end; policy lets the world go there. */
  readonly peer: string;
  /** A destination that policy refuses. */
  readonly refused: string;
  /** Resolves when the peer has seen so many connections cut before their answer's end, counted from the start. */
  readonly cuts: (count: number) => Promise<void>;
};

const TIMEOUT_MS = 5_000;
const SHORT_MS = 80;

const ask = (host: OutboundHost, path: string, more: Partial<OutboundRequest> = {}) =>
  host.outbound.send({
    url: host.peer + path,
    method: 'GET',
    headers: [],
    body: null,
    timeoutMs: TIMEOUT_MS,
    ...more,
  });

const answered = (answer: Awaited<ReturnType<Outbound['send']>>): OutboundAnswer => {
  if (!answer.ok) throw new Error(`no answer: ${answer.why}`);
  return answer;
};

const textOf = async ({ body }: OutboundAnswer): Promise<string> => {
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of body) text += decoder.decode(bytes, { stream: true });
  return text + decoder.decode();
};

/** What the peer's `/echo` saw. */
const echo = async (answer: OutboundAnswer): Promise<{ method: string; body: string; headers: Headers }> => {
  const seen = JSON.parse(await textOf(answer));
  return { ...seen, headers: new Headers(seen.headers) };
};

const EXCHANGES: readonly Case<OutboundHost>[] = [
  {
    name: 'a GET sends no body, and its answer comes with its status, its headers in order and its bytes',
    run: async (host, is) => {
      const answer = answered(await ask(host, '/echo', { headers: [['X-One', '1']] }));
      is.equal(answer.status, 200);
      is.ok(answer.ms >= 0);
      const own = answer.headers.filter(([name]) => name.toLowerCase() === 'x-twice');
      is.same(own, [
        ['X-Twice', 'a'],
        ['X-Twice', 'b'],
      ]);
      const { method, body, headers } = await echo(answer);
      is.same([method, body], ['GET', '']);
      is.equal(headers.get('x-one'), '1');
      is.equal(headers.get('transfer-encoding'), null);
    },
  },
  {
    name: 'any method, with a body of text or of bytes, byte for byte',
    run: async (host, is) => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'REPORT']) {
        const seen = await echo(answered(await ask(host, '/echo', { method, body: 'grüße' })));
        is.same([seen.method, seen.body], [method, 'grüße']);
        is.equal(seen.headers.get('content-length'), '7');
      }
      const bytes = await echo(
        answered(await ask(host, '/echo', { method: 'POST', body: Uint8Array.of(104, 105) })),
      );
      is.equal(bytes.body, 'hi');
      const none = await echo(answered(await ask(host, '/echo', { method: 'POST' })));
      is.same([none.body, none.headers.get('content-length')], ['', '0']);
      const head = answered(await ask(host, '/echo', { method: 'HEAD' }));
      is.equal(await textOf(head), '');
    },
  },
  {
    name: 'a refusal of the peer and a redirect are answers, and are not followed',
    run: async (host, is) => {
      for (const status of [204, 307, 404, 503]) {
        const answer = answered(await ask(host, `/status/${status}`));
        is.equal(answer.status, status);
        answer.discard();
      }
    },
  },
  {
    name: 'policy refuses with the name of its rule, and nothing is sent',
    run: async ({ outbound, refused }, is) => {
      const request = { url: refused, method: 'GET', headers: [], body: null, timeoutMs: TIMEOUT_MS };
      const answer = await outbound.send(request);
      is.equal(answer.ok, false);
      is.ok(!answer.ok && answer.refused && /^[a-z-]+: /.test(answer.why));
    },
  },
];

async function* countdown(from: number, taken: { count: number; left: boolean }): AsyncGenerator<Uint8Array> {
  try {
    for (let n = from; n > 0; n--) {
      taken.count += 1;
      yield new TextEncoder().encode(`${n} `);
    }
  } finally {
    taken.left = true;
  }
}

const PIECE = new Uint8Array(64 * 1024);

const STREAMS: readonly Case<OutboundHost>[] = [
  {
    name: 'a body that is a stream is sent to its end',
    run: async (host, is) => {
      const taken = { count: 0, left: false };
      const answer = answered(await ask(host, '/echo', { method: 'POST', body: countdown(3, taken) }));
      is.equal((await echo(answer)).body, '3 2 1 ');
      is.same(taken, { count: 3, left: true });
    },
  },
  {
    name: 'a stream is read no faster than the destination takes it, and left when the answer never comes',
    run: async (host, is) => {
      const taken = { count: 0, left: false };
      async function* endless(): AsyncGenerator<Uint8Array> {
        try {
          for (;;) {
            taken.count += 1;
            yield PIECE;
          }
        } finally {
          taken.left = true;
        }
      }
      const answer = await ask(host, '/unread', { method: 'POST', body: endless(), timeoutMs: 400 });
      is.equal(answer.ok, false);
      const { count } = taken;
      await new Promise(resolve => setTimeout(resolve, SHORT_MS));
      is.equal(taken.count, count, 'nobody reads on');
      is.ok(count < 1_000, `${count} pieces for a destination that takes none`);
      is.ok(taken.left, 'its source is told');
    },
  },
  {
    name: 'a stream that fails fails the request, and its destination never sees a whole body',
    run: async (host, is) => {
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield PIECE;
        throw new Error('the source is gone');
      }
      const answer = await ask(host, '/echo', { method: 'POST', body: broken() });
      is.ok(!answer.ok && !answer.refused);
    },
  },
  {
    name: 'an answer is handed on as it comes, and the next part is waited for',
    run: async (host, is) => {
      const answer = answered(await ask(host, '/parts'));
      const parts: string[] = [];
      for await (const bytes of answer.body) parts.push(new TextDecoder().decode(bytes));
      is.equal(parts.join(''), 'one two three');
      is.ok(parts.length > 1, 'not all at once');
      answer.discard();
    },
  },
];

const throwsInTheMiddle = async (host: OutboundHost, path: string, is: Expect): Promise<void> => {
  const answer = answered(await ask(host, path, { timeoutMs: SHORT_MS }));
  let seen = 0;
  const reading = (async () => {
    for await (const bytes of answer.body) seen += bytes.length;
  })();
  await is.rejects(reading, path);
  is.ok(seen > 0, 'what came before is there');
};

const ENDS: readonly Case<OutboundHost>[] = [
  {
    name: 'a destination that is silent is given up: before its answer, and in the middle of it',
    run: async (host, is) => {
      const answer = await ask(host, '/silent', { timeoutMs: SHORT_MS });
      is.ok(!answer.ok && !answer.refused);
      await throwsInTheMiddle(host, '/half', is);
    },
  },
  {
    name: 'a destination that breaks off is told of: before its answer, and in the middle of it',
    run: async (host, is) => {
      const answer = await ask(host, '/hang-up');
      is.ok(!answer.ok && !answer.refused);
      await throwsInTheMiddle(host, '/broken', is);
    },
  },
  {
    name: 'a reader who leaves in the middle ends the connection',
    run: async host => {
      for await (const _bytes of answered(await ask(host, '/endless')).body) break;
      await host.cuts(1);
    },
  },
  {
    name: 'an answer that nobody wants is discarded: before it was read, while it is, and harmlessly after',
    run: async (host, is) => {
      answered(await ask(host, '/endless')).discard();
      await host.cuts(1);
      const begun = answered(await ask(host, '/endless'));
      const chunks = begun.body[Symbol.asyncIterator]();
      is.equal((await chunks.next()).done, false);
      begun.discard();
      begun.discard();
      await host.cuts(2);
      const whole = answered(await ask(host, '/parts'));
      await textOf(whole);
      whole.discard();
    },
  },
];

export const OUTBOUND_CONTRACT: readonly Case<OutboundHost>[] = [...EXCHANGES, ...STREAMS, ...ENDS];
