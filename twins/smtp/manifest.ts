// What the SMTP twin says of itself (2.2).
import { type Manifest, manifestOf } from '../kit/manifest.ts';
import { COMMANDS, EXTENSIONS, OTHER_COMMANDS, OTHER_EXTENSIONS } from './protocol.ts';
import { FRONT_SCREENS } from './screens.ts';

/** Words of the protocol. */
const UNDERSTOOD = COMMANDS.length + EXTENSIONS.length;

/** Relays that apps are set up for: a client that goes through the proxy finds this twin there. */
const RELAYS = [
  'smtp.gmail.com',
  'smtp.mailgun.org',
  'smtp.office365.com',
  'smtp.postmarkapp.com',
  'smtp.resend.com',
  'smtp.sendgrid.net',
];
/** At 465 TLS comes before the first word. */
const RELAY_PORTS = [25, 465, 587, 2525];

export const SMTP_MANIFEST: Manifest = manifestOf({
  vendor: 'smtp',
  version: '0.1.0',
  protocol: 'smtp',
  api: { sdks: [{ npm: 'nodemailer', version: '10.6.0' }] },
  models: [{ type: 'message', idPrefix: 'msg_', operations: ['receive', 'list', 'retrieve', 'delete'] }],
  coverage: {
    modelled: UNDERSTOOD,
    generic: 0,
    catalog: UNDERSTOOD + OTHER_COMMANDS.length + OTHER_EXTENSIONS.length,
  },
  hosts: [],
  stream: {
    id: 'smtp',
    env: ['SMTP_HOST', 'SMTP_PORT'],
    hosts: RELAYS.flatMap(host => RELAY_PORTS.map(port => ({ host, port }))),
  },
  screens: FRONT_SCREENS,
});
