// The thread of mail-reader.ts: bytes in, the parts of a mail out.
import { parentPort } from 'node:worker_threads';
import { parseMail } from '../../twins/smtp/parse.ts';

parentPort!.on('message', async (raw: Uint8Array) => {
  const read = await parseMail(raw);
  const buffers = read.mail.attachments.map(({ bytes }) => bytes.buffer as ArrayBuffer);
  parentPort!.postMessage(read, [...new Set(buffers)]);
});
