// The variables of a run, as a table: what each kind of client needs, and what of the user's own stays.
import { execFileSync } from 'node:child_process';
import t from 'tap';
import { type Attachment, exportLines, runEnvironment, shellWord } from '../../cli/environment.ts';

const ATTACHMENT: Attachment = {
  proxyUrl: 'http://127.0.0.1:4001',
  trust: {
    bundle: '/w/bundle.pem',
    extra: '/w/extra.pem',
    java: { file: '/w/java.keystore', password: 'changeit' },
    phpFolder: '/w/php',
    wgetrc: '/w/wgetrc',
  },
  attachModule: '/wrld/attach/register.cjs',
  pythonFolder: '/wrld/attach/python',
  rubyModule: '/wrld/attach/ruby/wrld_attach.rb',
  networkPolicy: '/w/policy.json',
  streamVariables: ['SMTP_HOST', 'SMTP_PORT'],
  worldUrl: 'http://127.0.0.1:4000/acme/shop',
  worldToken: 'tok_w_x',
  worldEnv: { WRLD_TWINS_KEY: 'tok_w_x', OPENAI_BASE_URL: 'http://127.0.0.1:4000/acme/shop/openai/v1' },
  twinHosts: ['api.stripe.com', 'files.stripe.com'],
};

t.test('every client finds its proxy and its roots', async t => {
  const { set } = runEnvironment({}, ATTACHMENT);
  const { WRLD_RUN_VARIABLES: names, ...rest } = set;
  t.strictSame(
    names!.split(','),
    [...Object.keys(rest), 'SMTP_HOST', 'SMTP_PORT'],
    'all that is set, and what may be',
  );
  t.strictSame(rest, {
    HTTPS_PROXY: 'http://127.0.0.1:4001',
    https_proxy: 'http://127.0.0.1:4001',
    HTTP_PROXY: 'http://127.0.0.1:4001',
    http_proxy: 'http://127.0.0.1:4001',
    WSS_PROXY: 'http://127.0.0.1:4001',
    wss_proxy: 'http://127.0.0.1:4001',
    WS_PROXY: 'http://127.0.0.1:4001',
    ws_proxy: 'http://127.0.0.1:4001',
    NO_PROXY: 'localhost,.localhost,127.0.0.1,::1',
    no_proxy: 'localhost,.localhost,127.0.0.1,::1',
    SSL_CERT_FILE: '/w/bundle.pem',
    CURL_CA_BUNDLE: '/w/bundle.pem',
    REQUESTS_CA_BUNDLE: '/w/bundle.pem',
    PIP_CERT: '/w/bundle.pem',
    GIT_SSL_CAINFO: '/w/bundle.pem',
    AWS_CA_BUNDLE: '/w/bundle.pem',
    CARGO_HTTP_CAINFO: '/w/bundle.pem',
    DENO_CERT: '/w/bundle.pem',
    GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: '/w/bundle.pem',
    NPM_CONFIG_CAFILE: '/w/bundle.pem',
    npm_config_cafile: '/w/bundle.pem',
    NODE_EXTRA_CA_CERTS: '/w/extra.pem',
    NODE_USE_ENV_PROXY: '1',
    NODE_OPTIONS: '--require /wrld/attach/register.cjs',
    PYTHONPATH: '/wrld/attach/python',
    RUBYOPT: '-r/wrld/attach/ruby/wrld_attach.rb',
    JAVA_TOOL_OPTIONS: [
      '-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=4001 -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=4001',
      '-Dhttp.nonProxyHosts=localhost|*.localhost|127.*|[::1]',
      '-Djavax.net.ssl.trustStore=/w/java.keystore -Djavax.net.ssl.trustStorePassword=changeit',
    ].join(' '),
    PHP_INI_SCAN_DIR: ':/w/php',
    WGETRC: '/w/wgetrc',
    WRLD_WORLD: 'http://127.0.0.1:4000/acme/shop',
    WRLD_WORLD_TOKEN: 'tok_w_x',
    WRLD_WORLD_PROXY: 'http://127.0.0.1:4001',
    WRLD_WORLD_NETWORK_POLICY: '/w/policy.json',
    WRLD_TWINS_KEY: 'tok_w_x',
    OPENAI_BASE_URL: 'http://127.0.0.1:4000/acme/shop/openai/v1',
  });
});

t.test('SSL_CERT_DIR, and all that is not ours, is not touched', async t => {
  const { set } = runEnvironment({ SSL_CERT_DIR: '/etc/ssl/certs', HOME: '/h' }, ATTACHMENT);
  t.notOk('SSL_CERT_DIR' in set);
  t.notOk('HOME' in set);
});

t.test("the user's own settings stay beside ours", async t => {
  const { set } = runEnvironment(
    {
      NODE_OPTIONS: '--max-old-space-size=512',
      JAVA_TOOL_OPTIONS: '-Xmx1g',
      PHP_INI_SCAN_DIR: '/own',
      PYTHONPATH: '/mine',
    },
    ATTACHMENT,
  );
  t.equal(set['NODE_OPTIONS'], '--max-old-space-size=512 --require /wrld/attach/register.cjs');
  t.match(set['JAVA_TOOL_OPTIONS'], /^-Xmx1g -Dhttps\.proxyHost=/);
  t.equal(set['PHP_INI_SCAN_DIR'], '/own:/w/php');
  t.equal(set['PYTHONPATH'], '/wrld/attach/python:/mine');
});

t.test('a run inside a run requires the module once', async t => {
  const { set } = runEnvironment({}, ATTACHMENT);
  t.equal(runEnvironment(set, ATTACHMENT).set['NODE_OPTIONS'], set['NODE_OPTIONS']);
  t.equal(runEnvironment(set, ATTACHMENT).set['NO_PROXY'], set['NO_PROXY']);
  t.equal(runEnvironment(set, ATTACHMENT).set['PYTHONPATH'], set['PYTHONPATH']);
});

t.test('without a JVM the trust store is not named', async t => {
  const { set } = runEnvironment({}, { ...ATTACHMENT, trust: { ...ATTACHMENT.trust, java: null } });
  t.notMatch(set['JAVA_TOOL_OPTIONS'], /trustStore/);
});

t.test('paths with spaces survive NODE_OPTIONS and JAVA_TOOL_OPTIONS', async t => {
  const java = { file: '/my world/java.keystore', password: 'changeit' };
  const { set } = runEnvironment(
    {},
    { ...ATTACHMENT, attachModule: '/my "own" wrld/register.cjs', trust: { ...ATTACHMENT.trust, java } },
  );
  t.equal(set['NODE_OPTIONS'], '--require "/my \\"own\\" wrld/register.cjs"');
  t.match(set['JAVA_TOOL_OPTIONS'], '"-Djavax.net.ssl.trustStore=/my world/java.keystore"');
});

const NO_PROXY: readonly (readonly [what: string, own: string, kept: string, dropped: readonly string[]])[] =
  [
    ["the user's own exceptions stay", '10.0.0.0/8,db.corp', ',10.0.0.0/8,db.corp', []],
    ['loopback is not listed twice', 'localhost,db.corp', ',db.corp', []],
    ['a star would send everything past the world', '*,db.corp', ',db.corp', ['*']],
    ["a twin's host", 'api.stripe.com', '', ['api.stripe.com']],
    ["a twin's host with a port", 'api.stripe.com:443', '', ['api.stripe.com:443']],
    ["a suffix of a twin's host", '.stripe.com', '', ['.stripe.com']],
    ['a starred suffix', '*.Stripe.com', '', ['*.Stripe.com']],
    ['a bare domain covers its hosts too', 'stripe.com', '', ['stripe.com']],
    ['a name that only looks like it', 'notstripe.com', ',notstripe.com', []],
    ['spaces between entries', 'a.corp b.corp', ',a.corp,b.corp', []],
  ];

t.test('NO_PROXY keeps what is the user’s, but no way past a twin', async t => {
  for (const [what, own, kept, dropped] of NO_PROXY) {
    const made = runEnvironment({ no_proxy: own }, ATTACHMENT);
    t.equal(made.set['NO_PROXY'], `localhost,.localhost,127.0.0.1,::1${kept}`, what);
    t.strictSame(made.droppedNoProxy, dropped, what);
  }
  const { set } = runEnvironment({ NO_PROXY: 'a.corp', no_proxy: 'b.corp' }, ATTACHMENT);
  t.match(set['NO_PROXY'], /,b\.corp,a\.corp$/, 'both spellings count');
  t.match(set['JAVA_TOOL_OPTIONS'], /\[::1\]\|b\.corp\|a\.corp /, 'Java is told too');
});

t.test('the lines to paste mean what they say to a shell', async t => {
  const values = { A: 'plain', B: 'it\'s $HOME `x` "y"', C: 'a b\nc', D: '' };
  const script = `${exportLines(values).join('\n')}\nnode -p 'JSON.stringify([process.env.A, process.env.B, process.env.C, process.env.D])'`;
  t.strictSame(JSON.parse(execFileSync('sh', ['-c', script], { encoding: 'utf8' })), Object.values(values));
  t.equal(shellWord('http://127.0.0.1:1/a_b-c'), 'http://127.0.0.1:1/a_b-c');
});
