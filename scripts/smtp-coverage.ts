// What the SMTP twin understands of the protocol. test/twins/coverage.test.ts says each of these words to it.
import { type Coverage, type Covered, coverageOf } from './coverage.ts';

const row =
  (tier: Covered['tier']) =>
  (route: string): Covered => ({ route, names: [], tier });

const COMMANDS = ['EHLO', 'HELO', 'MAIL', 'RCPT', 'DATA', 'RSET', 'NOOP', 'QUIT', 'HELP', 'VRFY'];
/** As EHLO names them. */
const EXTENSIONS = [
  'PIPELINING',
  '8BITMIME',
  'SMTPUTF8',
  'ENHANCEDSTATUSCODES',
  'SIZE',
  'STARTTLS',
  'AUTH PLAIN',
  'AUTH LOGIN',
  'AUTH CRAM-MD5',
  'AUTH XOAUTH2',
];
const MISSING_COMMANDS = ['EXPN', 'BDAT', 'ETRN'];
const MISSING_EXTENSIONS = [
  'AUTH DIGEST-MD5',
  'AUTH OAUTHBEARER',
  'BINARYMIME',
  'CHUNKING',
  'DELIVERBY',
  'DSN',
  'FUTURERELEASE',
  'MT-PRIORITY',
  'REQUIRETLS',
];

export function smtpCoverage(): Coverage {
  return coverageOf({
    vendor: 'smtp',
    counted: 'commands and extensions of submission servers',
    operations: [
      ...[...COMMANDS, ...EXTENSIONS].map(row('modelled')),
      ...[...MISSING_COMMANDS, ...MISSING_EXTENSIONS].map(row('unmodelled')),
    ],
  });
}
