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

const endless = mail('lines', '\r\n'.repeat(2_000_000));
const next = mail('next', 'y'.repeat(100_000));

t.test('[bad-input] one that takes too long holds up nobody, and is kept unread', async t => {
  const reader = new MailReader(500);
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 5);
  t.match(await reader.read(endless), {
    mail: { subject: '', text: null },
    unreadable: 'it took too long to read',
  });
  clearInterval(turning);
  t.ok(turns > 10, `the world had ${turns} turns meanwhile`);
  // A busy machine may take as long to start the next thread.
  let read = await reader.read(next);
  while (read.unreadable === 'it took too long to read') read = await reader.read(next);
  t.match(read, { mail: { subject: 'next' }, unreadable: null }, 'on a thread of its own');
});

t.test('[bad-input] one that takes all memory ends its thread, not the world', async t => {
  const reader = new MailReader(60_000);
  const [first, second] = await Promise.all([reader.read(endless), reader.read(next)]);
  t.match(first, { mail: { subject: '' }, unreadable: 'its reader ran out of memory' });
  t.match(second, { mail: { subject: 'next' }, unreadable: null });
});
