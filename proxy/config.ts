// The proxy's command line and environment, read once. It is started by control, not by hand.
import { parseArgs } from 'node:util';
import { ORPHAN_SECONDS_MAX, WORKERS_MAX } from './limits.ts';
import { type NextProxies, readNextProxies } from './upstream/next-proxy.ts';

export type ProxyConfig = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Where guests come in; null: nowhere. */
  readonly guestPort: number | null;
  /** Unix socket on which contained runs come in; null: nowhere. */
  readonly runsSocket: string | null;
  /** Unix socket on which control pushes snapshots. */
  readonly ipcSocket: string;
  /** Unix socket on which control answers for twins. */
  readonly twinsSocket: string;
  readonly authorityFolder: string;
  /** Exits after this long without control; 0: never. Seconds. */
  readonly orphanSeconds: number;
  /** PEM files whose certificates upstreams may use besides the system's roots. */
  readonly trustFiles: readonly string[];
  /** What HTTPS_PROXY and its like say of the way out of this machine. */
  readonly nextProxies: NextProxies;
  readonly logLevel: string;
  /** Where its lines go, rotated by size; null: standard output. */
  readonly logFile: string | null;
  /** Data planes on the one port, a thread each; 1: in the main thread. */
  readonly workers: number;
};

export type ConfigResult =
  | { readonly ok: true; readonly config: ProxyConfig }
  | { readonly ok: false; readonly why: string };

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export function readProxyConfig(args: readonly string[], env: NodeJS.ProcessEnv): ConfigResult {
  let values: { readonly [name: string]: string | undefined };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        host: { type: 'string', default: '127.0.0.1' },
        port: { type: 'string', default: '0' },
        'guest-port': { type: 'string' },
        'runs-socket': { type: 'string' },
        ipc: { type: 'string' },
        twins: { type: 'string' },
        ca: { type: 'string' },
        'orphan-seconds': { type: 'string', default: '0' },
        workers: { type: 'string', default: '1' },
        'log-level': { type: 'string', default: 'info' },
        'log-file': { type: 'string' },
      },
    }));
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  }
  const port = wholeNumber(values['port'], 65_535);
  const guestText = values['guest-port'];
  const guestPort = guestText === undefined ? null : wholeNumber(guestText, 65_535);
  const workers = wholeNumber(values['workers'], WORKERS_MAX);
  const orphanSeconds = wholeNumber(values['orphan-seconds'], ORPHAN_SECONDS_MAX);
  const { ipc, twins, ca, host } = values;
  const logLevel = values['log-level']!;
  if (port === null) return { ok: false, why: '--port takes a number from 0 to 65535.' };
  if (guestText !== undefined && guestPort === null)
    return { ok: false, why: '--guest-port takes a number from 0 to 65535.' };
  if (workers === null || workers === 0)
    return { ok: false, why: `--workers takes a number from 1 to ${WORKERS_MAX}.` };
  if (orphanSeconds === null)
    return { ok: false, why: `--orphan-seconds takes a number from 0 to ${ORPHAN_SECONDS_MAX}.` };
  if (!LEVELS.includes(logLevel)) return { ok: false, why: `--log-level takes one of ${LEVELS.join(', ')}.` };
  if (ipc === undefined || twins === undefined || ca === undefined || host === undefined)
    return { ok: false, why: '--ipc, --twins and --ca are needed: two sockets of control and a folder.' };
  return {
    ok: true,
    config: {
      host,
      port,
      guestPort,
      runsSocket: values['runs-socket'] ?? null,
      ipcSocket: ipc,
      twinsSocket: twins,
      authorityFolder: ca,
      orphanSeconds,
      trustFiles: [env['SSL_CERT_FILE'], env['NODE_EXTRA_CA_CERTS']].filter(
        (file): file is string => file !== undefined && file !== '',
      ),
      nextProxies: readNextProxies(env),
      logLevel,
      logFile: values['log-file'] ?? null,
      workers,
    },
  };
}

function wholeNumber(text: string | undefined, max: number): number | null {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return null;
  const number = Number(text);
  return number <= max ? number : null;
}
