// SMTP: mail goes in by the wire (control/node/smtp-wire.ts) and nowhere else; it is read over HTTP and on a screen.
import { buildTwin } from '../kit/build-twin.ts';
import { JSON_API } from '../kit/json-api.ts';
import type { Twin } from '../kit/twin.ts';
import { errorReply, unknownPath } from './errors.ts';
import { SMTP_MANIFEST } from './manifest.ts';
import { OPERATIONS } from './operations.ts';
import { receive } from './receive.ts';
import { RECORDS } from './records.ts';
import { SCREENS } from './screens.ts';

export const smtpTwin: Twin = buildTwin({
  ...JSON_API,
  manifest: SMTP_MANIFEST,
  records: RECORDS,
  operations: OPERATIONS,
  screens: SCREENS,
  unknown: unknownPath,
  error: errorReply,
  stream: receive,
});
