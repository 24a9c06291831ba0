// What of the protocol this twin understands, and what of it clients may look for in vain. test/twins/coverage.test.ts
// says each of these words to it.

export const COMMANDS: readonly string[] = [
  'EHLO',
  'HELO',
  'MAIL',
  'RCPT',
  'DATA',
  'RSET',
  'NOOP',
  'QUIT',
  'HELP',
  'VRFY',
];

/** As EHLO names them. */
export const EXTENSIONS: readonly string[] = [
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

export const OTHER_COMMANDS: readonly string[] = ['EXPN', 'BDAT', 'ETRN'];

export const OTHER_EXTENSIONS: readonly string[] = [
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

/** What `MAIL` and `RCPT` take besides an address, as their extensions name it. */
export const PARAMETERS: { readonly [word in 'MAIL' | 'RCPT']: readonly string[] } = {
  MAIL: ['AUTH', 'BODY', 'SIZE', 'SMTPUTF8'],
  RCPT: [],
};

/** Of extensions that are not announced. */
export const OTHER_PARAMETERS: { readonly [word in 'MAIL' | 'RCPT']: readonly string[] } = {
  MAIL: ['BY', 'ENVID', 'HOLDFOR', 'HOLDUNTIL', 'MT-PRIORITY', 'REQUIRETLS', 'RET'],
  RCPT: ['NOTIFY', 'ORCPT'],
};

/** The first of those that a client gave and nobody announced. */
export const unannounced = (word: 'MAIL' | 'RCPT', given: readonly string[]): string | undefined =>
  given.find(name => !PARAMETERS[word].includes(name.toUpperCase()));
