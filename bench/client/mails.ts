// Mails over SMTP, one after the other on kept connections, as an app's mailer with a pool sends them.
import { connect, type Socket } from 'node:net';

export const MAIL: string = [
  'From: Shop <shop@example.com>',
  'To: Jane <jane@example.com>',
  'Subject: Your order',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  '',
  ...Array.from({ length: 12 }, (_, n) => `Line ${n} of what she ordered, and when it will be there.`),
  '.',
  '',
].join('\r\n');

/** What is sent of each mail, and the code that must answer it. */
const TALK: readonly (readonly [line: string, code: string])[] = [
  ['MAIL FROM:<shop@example.com>\r\n', '250'],
  ['RCPT TO:<jane@example.com>\r\n', '250'],
  ['DATA\r\n', '354'],
  [MAIL, '250'],
];

/** Sends until told to stop; `sent` is called with each mail's milliseconds. */
export async function sendMails(
  port: number,
  { sent, stopped }: { readonly sent: (ms: number) => void; readonly stopped: () => boolean },
): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const answers = answersOf(socket);
  await expect(answers, '220');
  socket.write('EHLO bench.test\r\n');
  await expect(answers, '250');
  while (!stopped()) {
    const from = performance.now();
    for (const [line, code] of TALK) {
      socket.write(line);
      await expect(answers, code);
    }
    sent(performance.now() - from);
  }
  socket.end('QUIT\r\n', () => socket.destroy());
}

async function expect(answers: AsyncGenerator<string>, code: string): Promise<void> {
  const { value } = await answers.next();
  if (!value?.startsWith(code)) throw new Error(`answered ${value ?? 'nothing'}`);
}

/** The last line of each answer: its code is followed by a space. */
async function* answersOf(socket: Socket): AsyncGenerator<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) {
    text += chunk as string;
    for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      if (line[3] !== '-') yield line;
    }
  }
}
