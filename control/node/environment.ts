// What control reads of its environment: the platforms whose passes it takes, and the little that the proxy it
// starts may have. Everything else stays here, because control's environment holds the user's secrets and the proxy
// has no use for them.
import { readSealing, type Sealing } from '../hosting/sealing.ts';
import { ControlError } from './control-error.ts';
import { issuersIn } from './trusted-issuers.ts';

const PASSED_ON = [
  'PATH',
  'HOME',
  'LANG',
  'TZ',
  'TMPDIR',
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
  // How this machine reaches the internet: the proxy's own upstream connections go the same way.
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'ALL_PROXY',
  'all_proxy',
  'NO_PROXY',
  'no_proxy',
];

/**
 * `compileCache`: a folder of this user's own, where Node keeps the proxy's code compiled; a proxy that is started
 * again listens in half the time. The environment's own choice goes before.
 */
export function proxyEnvironment(compileCache: string): NodeJS.ProcessEnv {
  const { env } = process;
  return {
    NODE_COMPILE_CACHE: compileCache,
    ...Object.fromEntries(PASSED_ON.filter(name => env[name]).map(name => [name, env[name]])),
  };
}

/**
 * Of a process that serves worlds of a host: all but the admin token, which is its front's alone. `compileCache`: where its front has
 * its own code compiled, if anywhere; to compile all of a world's is most of what a start takes.
 */
export function shardEnvironment(compileCache: string | undefined): NodeJS.ProcessEnv {
  const { ADMIN_TOKEN: _, ...env } = process.env;
  return { ...(compileCache !== undefined && { NODE_COMPILE_CACHE: compileCache }), ...env };
}

/** TRUSTED_ISSUERS (5.3-7): as many as there are, with commas between them. */
export function issuersOfEnvironment(): readonly string[] {
  return issuersIn(process.env['TRUSTED_ISSUERS']);
}

/**
 * SEALING_KEY and VAULT_… (4.11-2). Throws `ControlError` for what cannot be used, without showing it: a credential that is
 * sealed by something else than was meant is found out too late.
 */
export function sealingOfEnvironment(env: NodeJS.ProcessEnv = process.env): Sealing {
  const read = readSealing(env);
  if (!read.ok) throw new ControlError('sealing-unusable', read.why);
  return read.sealing;
}
