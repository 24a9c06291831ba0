// What control reads of its environment: the platforms whose passes it takes, and the little that the proxy it
// starts may have. Everything else stays here, because control's environment holds the user's secrets and the proxy
// has no use for them.
import { Secret } from '../world/access/secret.ts';
import { HOST_KEY_BYTES, parseHostKey } from '../world/seals/host-key.ts';
import { ControlError } from './control-error.ts';
import type { Sealing } from './sealers.ts';
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

/** TRUSTED_ISSUERS (5.3-7): as many as there are, with commas between them. */
export function issuersOfEnvironment(): readonly string[] {
  return issuersIn(process.env['TRUSTED_ISSUERS']);
}

/**
 * SEALING_KEY and VAULT_… (4.11-2). Throws `ControlError` for what cannot be used, without showing it: a credential that is
 * sealed by something else than was meant is found out too late.
 */
export function sealingOfEnvironment(env: NodeJS.ProcessEnv = process.env): Sealing {
  const given = env['SEALING_KEY'];
  const hostKey = given === undefined || given === '' ? null : parseHostKey(given);
  if (given !== undefined && given !== '' && hostKey === null)
    throw wrong(
      `SEALING_KEY is no key of ${HOST_KEY_BYTES} bytes; make one: openssl rand -base64 ${HOST_KEY_BYTES}`,
    );
  const transitKey = env['VAULT_TRANSIT_KEY'];
  // A program that uses a vault for itself has its address and token too.
  if (transitKey === undefined || transitKey === '') return { hostKey, vault: null };
  const address = env['VAULT_ADDR']?.replace(/\/+$/, '') ?? '';
  const token = env['VAULT_TOKEN'] ?? '';
  if (!/^https?:\/\/[^/?#@\s]+(?:\/[^?#\s]*)?$/.test(address))
    throw wrong('VAULT_TRANSIT_KEY is set, and VAULT_ADDR is no http(s) address of a vault');
  if (!/^[\x21-\x7e]+$/.test(token)) throw wrong('VAULT_TRANSIT_KEY is set, and VAULT_TOKEN is not');
  for (const name of ['VAULT_TRANSIT_KEY', 'VAULT_FINGERPRINT_KEY', 'VAULT_TRANSIT_MOUNT', 'VAULT_NAMESPACE'])
    if (!VAULT_NAME.test(env[name] ?? '')) throw wrong(`${name} is no name of a vault’s`);
  return {
    hostKey,
    vault: {
      address,
      token: new Secret(token),
      transitKey,
      fingerprintKey: env['VAULT_FINGERPRINT_KEY'] || `${transitKey}-fingerprint`,
      mount: env['VAULT_TRANSIT_MOUNT']?.replaceAll(/^\/+|\/+$/g, '') || 'transit',
      namespace: env['VAULT_NAMESPACE'] || null,
    },
  };
}

/** Segments of a path, none of which leads back. */
const VAULT_NAME = /^(?!(?:.*\/)?\.{1,2}(?:\/|$))[\w.-]*(?:\/[\w.-]+)*\/?$/;

const wrong = (message: string): ControlError => new ControlError('sealing-unusable', message);
