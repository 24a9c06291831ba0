// The inbox over HTTP: what a test asserts on, and what the pages say to a browser (test/browser shows them to one).
import { createTransport, type SendMailOptions } from 'nodemailer';
import t from 'tap';
import { mountTwin } from '../../../twins/kit/mount.ts';
import { MAILS_MAX } from '../../../twins/smtp/limits.ts';
import { smtpTwin } from '../../../twins/smtp/twin.ts';
import { openNoteWorld } from '../../kit/note-world.ts';
import { openSmtpWorld, type SmtpWorld } from '../../kit/smtp-world.ts';

const MAIL = { from: 'shop@acme.test', to: 'ada@b.test', subject: 'Hello', text: 'Hello Ada' };

async function send(world: SmtpWorld, ...mails: readonly SendMailOptions[]): Promise<string[]> {
  const transport = createTransport({
    host: world.at.host,
    port: world.at.port,
    ignoreTLS: true,
    pool: true,
  });
  const ids: string[] = [];
  for (const mail of mails) {
    const { response } = await transport.sendMail({ ...MAIL, ...mail });
    ids.push((response ?? '').split(' ').at(-1)!);
  }
  transport.close();
  return ids;
}

t.test('[4.1] a list by keyset, narrowed by who and what; one mail; and their end', async t => {
  await using world = await openSmtpWorld();
  const ids = await send(
    world,
    { subject: 'one', to: 'Ada <ADA@b.test>' },
    { subject: 'two', to: 'bob@b.test', bcc: 'ada@b.test' },
    { subject: 'Three', from: 'other@acme.test' },
    { subject: 'thirty', to: 'bob@b.test' },
  );
  const list = async (query: string): Promise<unknown[]> =>
    (await world.get(`/messages?${query}`)).json.messages.map(({ id }: { id: string }) => ids.indexOf(id));
  t.strictSame(await list(''), [3, 2, 1, 0]);
  const first = (await world.get('/messages?limit=3')).json;
  t.equal(first.next, ids[1]);
  t.strictSame(await list(`limit=3&after=${first.next}`), [0]);
  t.strictSame(await list('to=ada@b.test'), [2, 1, 0], 'as the envelope has it, which knows of Bcc');
  t.strictSame(await list('from=OTHER@acme.test'), [2]);
  t.strictSame(await list('subject=thr'), [2]);
  t.strictSame(await list('to=bob@b.test&subject=two'), [1]);
  for (const [query, code] of [
    ['limit=0', 'bad-limit'],
    ['limit=101', 'bad-limit'],
    ['limit=x', 'bad-limit'],
    ['after=msg_nobody', 'bad-cursor'],
  ] as const)
    t.match(await world.get(`/messages?${query}`), { status: 400, json: { error: { code } } });
  t.match((await world.get(`/messages/${ids[0]}`)).json, { subject: 'one', text: 'Hello Ada\n', html: null });
  t.equal((await world.get('/messages/msg_nobody')).status, 404);
  t.equal((await world.get('/nothing/here')).status, 404);

  const ask = (method: string, path: string, token = world.site.token) =>
    world.site.ask({ method, target: `/acme/notes/smtp${path}`, headers: [['x-wrld-token', token]] });
  for (const method of ['POST', 'DELETE'])
    t.match(
      await ask(method, '/messages'),
      { status: 405, headers: { allow: 'GET, HEAD' } },
      '[1] no write endpoint beside the vendor’s protocol',
    );
  t.match(await ask('HEAD', '/messages'), { status: 200, text: '' });
});

t.test('an inbox has room for so many; the oldest make place, and the log keeps them', async t => {
  await using notes = await openNoteWorld({ twins: { smtp: mountTwin(smtpTwin, null) } });
  const read = {
    envelope: { from: 'a@b.test', to: ['c@d.test'], helo: '', auth: null, tls: false },
    raw: new TextEncoder().encode('x'),
    mail: {
      ...{ subject: 's', from: [], to: [], cc: [], bcc: [], replyTo: [], date: null, messageId: null },
      ...{ headers: [], text: 'x', html: null, attachments: [] },
    },
    unreadable: null,
  };
  for (let n = 0; n < MAILS_MAX + 2; n += 1)
    await notes.ask('DATA', '/', undefined, { vendor: 'smtp', via: 'stream', read });
  let held = 0;
  for (let after = ''; ; ) {
    const { body } = await notes.ask('GET', '/messages', undefined, {
      vendor: 'smtp',
      query: `limit=100${after}`,
    });
    held += body.messages.length;
    if (body.next === null) break;
    after = `&after=${body.next}`;
  }
  t.equal(held, MAILS_MAX);
  t.equal((await notes.world.log('smtp', MAILS_MAX))!.entries.length, 2);
});

t.test('files are saved and never shown: names and types that can do no harm', async t => {
  await using world = await openSmtpWorld();
  const names: readonly (readonly [given: string, type: string, saved: string, as: string])[] = [
    ['../../.ssh/authorized_keys', 'text/plain', 'authorized_keys', 'text/plain'],
    ['C:\\Windows\\evil.exe', 'application/x-msdownload', 'evil.exe', 'application/x-msdownload'],
    ['page.html', 'text/html', 'page.html', 'application/octet-stream'],
    ['a.svg', 'image/svg+xml', 'a.svg', 'application/octet-stream'],
    ['.bashrc', 'text/plain', 'bashrc', 'text/plain'],
    ['fdp.\u202Eexe.pdf', 'application/pdf', 'fdp.exe.pdf', 'application/pdf'],
    ['Grüße "2" <x>.pdf', 'application/pdf', 'Gr%C3%BC%C3%9Fe%20_2_%20_x_.pdf', 'application/pdf'],
    [`${'l'.repeat(400)}.pdf`, 'application/pdf', `${'l'.repeat(150)}.pdf`, 'application/pdf'],
    ['...', 'image/png', 'attachment', 'image/png'],
  ];
  const attachments = names.map(([filename, contentType]) => ({ filename, contentType, content: 'x' }));
  const [id] = await send(world, { attachments });
  for (const [index, [given, , saved, type]] of names.entries()) {
    const { status, headers, text } = await world.get(`/messages/${id}/attachments/${index}`);
    t.match({ status, text }, { status: 200, text: 'x' });
    t.equal(headers['content-disposition']?.split("UTF-8''")[1], saved, given);
    t.equal(headers['content-type'], type, given);
    t.match(
      headers['content-disposition'],
      /^attachment; filename="[\w. -]+"; filename\*=UTF-8''[\w.%~!-]+$/,
    );
    t.equal(headers['x-content-type-options'], 'nosniff');
    t.equal(headers['content-security-policy'], "default-src 'none'; sandbox");
  }
  for (const index of ['9', '-1', '1e0', '%30', 'x'])
    t.equal((await world.get(`/messages/${id}/attachments/${index}`)).status, 404, index);
  const raw = await world.get(`/messages/${id}/raw`);
  t.match(raw.headers, {
    'content-type': 'message/rfc822',
    'content-disposition': /^attachment; filename="msg_/,
  });
  t.match(raw.text, /^(From|Content-Type): /);
});

t.test('a page runs and loads nothing, and shows what a stranger wrote as text', async t => {
  await using world = await openSmtpWorld();
  const evil = '<script>alert(1)</script>"\'&amp;';
  const [id] = await send(world, {
    from: { name: evil, address: 'a@b.test' },
    subject: evil,
    text: evil,
    html: `${evil}<a href="https://shop.test/?a=1&amp;b=2">go</a><a href="javascript:alert(1)">no</a>`,
    headers: { 'X-Evil': evil },
    attachments: [{ filename: `${evil}.txt`, content: 'x' }],
  });
  const pages = ['/', ...['html', 'text', 'headers', 'source'].map(view => `/mail/${id}?view=${view}`)];
  for (const path of pages) {
    const { status, headers, text } = await world.get(path);
    t.equal(status, 200);
    t.match(
      headers['content-security-policy'],
      /^default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; frame-src 'self'; form-action 'none'$/,
    );
    t.notMatch(text, /<script/i, path);
    t.notMatch(text, /href="javascript/i);
  }
  const shown = await world.get(`/mail/${id}`);
  t.match(shown.text, /<iframe sandbox=""/);
  t.match(shown.text, /href="https:\/\/shop\.test\/\?a=1&#38;b=2" target="_blank" rel="noopener noreferrer"/);
  const document = await world.get(`/messages/${id}/html`);
  t.match(document.headers['content-security-policy'], /^sandbox; default-src 'none'; img-src data:/);
  t.equal((await world.get(`/messages/${(await send(world, {}))[0]}/html`)).status, 404, 'of a mail without');
});
