// Control as a process of its own, without the command line around it: for containers and service managers.
// Prints one JSON line when the world is up; SIGINT and SIGTERM drain both processes.
import { parseArgs } from 'node:util';
import { outliveFileLimit } from '../../process/file-limit.ts';
import { type ControlOptions, startControl } from './control.ts';
import { ControlError } from './control-error.ts';
import { LOG_LEVELS, type LogLevel, openLog } from './log.ts';

const USAGE = `Usage: control/node/main.ts [--folder <dir>] [--host <address>] [--port <n>] [--proxy-port <n>] [--sandbox] [--trust <issuer URL or JWKS file>] [--log-level <${LOG_LEVELS.join('|')}>]`;

/** Exit codes: the thing asked for failed; the call or the config is wrong. */
const FAILED = 1;
const WRONG = 2;

const options = readOptions(process.argv.slice(2));
if (!options.ok) {
  process.stderr.write(`${options.why}\n${USAGE}\n`);
  process.exit(WRONG);
}

outliveFileLimit();
// Before the world starts: a signal that comes meanwhile ends it as soon as it is up, in the same good order.
const asked = Promise.withResolvers<void>();
process.once('SIGINT', () => asked.resolve());
process.once('SIGTERM', () => asked.resolve());

try {
  const control = await startControl(options.options);
  const { baseUrl, worldUrl, proxyUrl, caFile, proxyPid } = control;
  const line = { baseUrl, worldUrl, proxyUrl, caFile, pid: process.pid, proxyPid };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  await asked.promise;
  await control.close();
  process.exit(0);
} catch (error) {
  if (!(error instanceof ControlError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(error.code === 'config-missing' || error.code === 'config-invalid' ? WRONG : FAILED);
}

function readOptions(
  args: readonly string[],
): { readonly ok: true; readonly options: ControlOptions } | { readonly ok: false; readonly why: string } {
  let values: { readonly [flag: string]: string | boolean | readonly string[] | undefined };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        folder: { type: 'string', default: '.' },
        host: { type: 'string', default: '127.0.0.1' },
        port: { type: 'string', default: '0' },
        'proxy-port': { type: 'string', default: '0' },
        sandbox: { type: 'boolean', default: false },
        trust: { type: 'string', multiple: true, default: [] },
        'log-level': { type: 'string', default: 'info' },
      },
    }));
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  }
  const port = readPort(values['port']);
  const proxyPort = readPort(values['proxy-port']);
  const level = LOG_LEVELS.find((known): known is LogLevel => known === values['log-level']);
  if (port === null || proxyPort === null) return { ok: false, why: 'A port is a number from 0 to 65535.' };
  if (!level) return { ok: false, why: `--log-level takes one of ${LOG_LEVELS.join(', ')}.` };
  return {
    ok: true,
    options: {
      folder: String(values['folder']),
      host: String(values['host']),
      port,
      proxyPort,
      sandbox: values['sandbox'] === true,
      trust: values['trust'] as readonly string[],
      log: openLog(level),
    },
  };
}

function readPort(text: string | boolean | readonly string[] | undefined): number | null {
  const port = typeof text === 'string' && /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? port : null;
}
