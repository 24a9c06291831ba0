// SMTP: mail goes in by the wire (control/node/smtp-wire.ts) and nowhere else; it is read over HTTP and on a screen.
import type { Twin } from '../kit/twin.ts';
import { errorReply } from './answer.ts';
import { SMTP_MANIFEST } from './manifest.ts';
import { receive } from './receive.ts';
import { RECORDS } from './records.ts';
import { answer } from './routes.ts';

export const smtpTwin: Twin = {
  manifest: SMTP_MANIFEST,
  records: RECORDS,
  respond: (call, tx) => (call.via === 'stream' ? receive(call, tx) : answer(call, tx)),
  error: errorReply,
};
