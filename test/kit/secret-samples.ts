// Keys of every vendor that the masker knows, for tests of what must not be kept or shown.

export const A = 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA';
const HEX = '0123456789abcdef0123456789abcdef';
/** Put together here, so that nobody's scanner takes them for keys that leaked. */
const key = (...parts: readonly string[]): string => parts.join('');

/** By vendor: keys as their documents show them, none of them anybody's. */
export const KEYS: { readonly [vendor: string]: readonly string[] } = {
  stripe: [
    ...['sk', 'rk', 'pk'].flatMap(kind => ['live', 'test'].map(mode => key(kind, '_', mode, '_', A))),
    key('sk', '_org_', A),
    key('wh', 'sec_', A),
    key('ek', '_test_', A),
    key('pi_3MtwBwLkdIwHu7ix', '_secret_', A),
    key('seti_1Mm8s8LkdIwHu7ix', '_secret_', A),
    key('cs_test_a1b2c3d4e5f6', '_secret_', A),
    key('acct_1Mm8s8LkdIwHu7ix', '_secret_', A),
  ],
  openai: [
    key('sk', '-', A),
    key('sk', '-proj-', A, '_', A),
    key('sk', '-svcacct-', A),
    key('sk', '-admin-', A),
    key('se', 'ss-', A),
  ],
  anthropic: [
    key('sk', '-ant-api03-', A, '-', A),
    key('sk', '-ant-admin01-', A),
    key('sk', '-ant-oat01-', A),
  ],
  github: ['ghp', 'gho', 'ghu', 'ghs', 'ghr']
    .map(kind => key(kind, '_', A))
    .concat(key('github', '_pat_', A, '_', A)),
  gitlab: [key('gl', 'pat-', A)],
  slack: [
    key('xo', 'xb-123456789012-1234567890123-', A),
    key('xo', 'xp-', A),
    key('xo', 'xe.xoxp-1-', A),
    key('xa', 'pp-1-A012-', A),
    key('https://hooks.slack.com/services/T0000', '0000/B00000000/', A),
  ],
  google: [key('AI', 'za', A, 'abc'), key('ya', '29.', A), key('GO', 'CSPX-', A), key('1/', '/0', A)],
  resend: [key('re', '_', A), key('re', '_AbCdEf12_', A)],
  aws: [key('AK', 'IAIOSFODNN7EXAMPLE'), key('AS', 'IAIOSFODNN7EXAMPLE'), key('AB', 'SK', A)],
  azure: [key('AccountKey=', A), key('https://x.blob.test/a?sv=1&sig=', A)],
  others: [
    key('A', 'C', HEX),
    key('S', 'K', HEX),
    key('SG', '.', A, '.', A),
    key('key', '-', HEX),
    key(HEX, '-us12'),
    key('npm', '_', A),
    key('py', 'pi-', A),
    key('h', 'f_', A),
    key('gs', 'k_', A),
    key('xa', 'i-', A),
    key('pp', 'lx-', A),
    key('r', '8_', A),
    key('ls', 'v2_pt_', A),
    key('sk', '-lf-', A),
    key('pc', 'sk_', A),
    key('lin', '_api_', A),
    key('n', 'tn_', A),
    key('sh', 'pat_', HEX),
    key('EA', 'AA', A),
    key('do', 'p_v1_', HEX),
    key('123456789', ':AA', A, A),
    key('hv', 's.', A),
    key('dp', '.pt.', A),
    key('da', 'pi', HEX),
    key('AT', 'ATT', A),
    key('sb', '_secret_', A),
    key('ey', 'JhbGciOiJIUzI1NiJ9.', 'eyJzdWIiOiIxIn0.', A),
    key('-----BEGIN ', 'RSA PRIVATE KEY-----\nMIIEow', A, '\n-----END RSA PRIVATE KEY-----'),
    key('-----BEGIN ', 'OPENSSH PRIVATE KEY-----\n', A),
    key('postgres://app:', 'hunter2secret@db.test/x'),
    key('acme', '_secret_', A).replace('acme', 'secret'),
    key('AGE-SECRET-', 'KEY-1', 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'),
    key('sk', '-abcd1234****wxyz'),
    key('xkey', 'sib-', A),
    key('f', 'w_', A),
    key('tv', 'ly-', A),
    key('EA', 'AB', A),
    key('MTk4NjIyNDgzNDcxOTI1MjQ4', '.Cl2FMQ.', A),
    key('snt', 'rys_', A),
    key('pat', 'aB3dE5gH7jK9mN', '.', A),
    key('ps', 'cale_tkn_', A),
    key('na', 'pi_', A),
    key('Bear', 'er ', A),
    key('pass', 'word=', A),
  ],
};

/** What no mask leaves: the part that opens something. */
export const core = (secret: string): string =>
  /hunter2secret|QPZRY\w+|abcd1234/.exec(secret)?.[0] ??
  (secret.includes(A) ? A : secret.includes(HEX) ? HEX : secret);
