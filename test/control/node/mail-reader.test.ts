import t from 'tap';
import { MailReader } from '../../../control/node/mail-reader.ts';

const mail = (subject: string, text: string): Uint8Array => Buffer.from(`Subject: ${subject}\r\n\r\n${text}`);

t.test('mails short and long, each whole, and none takes the bytes from who gave them', async t => {
  const reader = new MailReader();
  const long = mail('long', 'x'.repeat(100_000));
  const before = Uint8Array.from(long);
  const reads = await Promise.all([reader.read(long), reader.read(mail('short', 'x')), reader.read(long)]);
  t.strictSame(
    reads.map(({ mail, unreadable }) => [mail.subject, mail.text?.length, unreadable]),
    [
      ['long', 100_001, null],
      ['short', 2, null],
      ['long', 100_001, null],
    ],
  );
  t.equal(Buffer.compare(long, before), 0);
});

t.test('[bad-input] one that takes for ever holds up nobody, and is kept unread', async t => {
  const reader = new MailReader(3_000);
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 5);
  const endless = reader.read(mail('lines', '\r\n'.repeat(1_000_000)));
  const next = reader.read(mail('next', 'y'.repeat(100_000)));
  t.match(await endless, { mail: { subject: '', text: null }, unreadable: 'it took too long to read' });
  t.match(await next, { mail: { subject: 'next' }, unreadable: null }, 'on a thread of its own');
  clearInterval(turning);
  t.ok(turns > 10, `the world had ${turns} turns meanwhile`);
});
