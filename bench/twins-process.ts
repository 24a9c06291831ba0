// A world with the Stripe twin, whole: control in this process and the proxy it starts. Argument: its folder.
import { readFileSync } from 'node:fs';
import { startControl } from '../control/node/control.ts';
import { openLog } from '../control/node/log.ts';
import { ready } from './child.ts';

const control = await startControl({
  folder: process.argv[2]!,
  host: '127.0.0.1',
  port: 0,
  proxyPort: 0,
  sandbox: true,
  log: openLog('error'),
});
// The proxy is a process of its own: it is drained before this one ends.
const close = (): void => void control.close().then(() => process.exit(0));
process.once('SIGTERM', close);
const ca = readFileSync(control.caFile, 'utf8');
ready({ port: Number(new URL(control.proxyUrl).port), proxyPid: control.proxyPid, ca }, close);
