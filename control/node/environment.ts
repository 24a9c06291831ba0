// What control reads of its environment: the little that the proxy it starts may have. Everything else stays
// here, because control's environment holds the user's secrets and the proxy has no use for them.
const PASSED_ON = [
  'PATH',
  'HOME',
  'LANG',
  'TZ',
  'TMPDIR',
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
];

export function proxyEnvironment(): NodeJS.ProcessEnv {
  const { env } = process;
  return Object.fromEntries(PASSED_ON.filter(name => env[name]).map(name => [name, env[name]]));
}
