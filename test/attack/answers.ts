// The whole answers in what a client received, read by nothing of the proxy's: throws where the bytes are no
// sequence of HTTP/1 answers. A last one that was cut is left out.
import { framing, parseHead, statusOf } from '../kit/http-text.ts';

/** `methods`: of the requests in order, where they are known; HEAD's answers have no body. */
export function answersIn(received: string, methods: readonly string[] | null): string[] {
  const answers: string[] = [];
  let rest = received;
  let asked = 0;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const head = parseHead(rest.slice(0, end + 4));
    const status = statusOf(head);
    if (status < 200) {
      rest = rest.slice(end + 4);
      continue;
    }
    const method = methods?.[asked++] ?? 'GET';
    const frame = framing(head, method);
    const size = bodySize(rest.slice(end + 4), frame);
    if (size === null) return answers;
    answers.push(rest.slice(0, end + 4 + size));
    rest = rest.slice(end + 4 + size);
  }
  return answers;
}

function bodySize(text: string, frame: ReturnType<typeof framing>): number | null {
  switch (frame.kind) {
    case 'none':
      return 0;
    case 'to-end':
      return text.length;
    case 'length':
      return text.length < frame.bytes ? null : frame.bytes;
    case 'chunked': {
      let at = 0;
      for (;;) {
        const line = text.indexOf('\r\n', at);
        if (line === -1) return null;
        const digits = text.slice(at, line);
        if (!/^[0-9a-f]+$/i.test(digits)) throw new Error(`no chunk size: ${JSON.stringify(digits)}`);
        const size = Number.parseInt(digits, 16);
        at = line + 2;
        if (size > 0) at += size + 2;
        else {
          const end = text.startsWith('\r\n', at) ? at + 2 : text.indexOf('\r\n\r\n', at) + 4;
          return end < 4 || end > text.length ? null : end;
        }
        if (at > text.length) return null;
      }
    }
  }
}

/** What a whole answer's body says, its chunks joined. */
export function bodyOf(answer: string): string {
  const end = answer.indexOf('\r\n\r\n') + 4;
  const body = answer.slice(end);
  if (framing(parseHead(answer.slice(0, end)), 'GET').kind !== 'chunked') return body;
  let joined = '';
  for (let at = 0; ; ) {
    const line = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.slice(at, line), 16);
    if (size === 0) return joined;
    joined += body.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}
