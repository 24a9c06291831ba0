// A world with the SMTP twin, whole: a stream listens beside a proxy alone. Argument: its folder.
import { startControl } from '../../control/node/control.ts';
import { openLog } from '../../control/node/log.ts';
import { ready } from '../child.ts';

type Manifest = { readonly streams: { readonly smtp: { readonly listen: { readonly port: number } } } };

const control = await startControl({
  folder: process.argv[2]!,
  host: '127.0.0.1',
  port: 0,
  proxyPort: 0,
  sandbox: true,
  log: openLog('error'),
});
const close = (): void => void control.close().then(() => process.exit(0));
process.once('SIGTERM', close);
const asked = await fetch(`${control.worldUrl}/.well-known/wrld-world`, {
  headers: { 'x-wrld-token': control.token },
});
const { streams } = (await asked.json()) as Manifest;
ready({ port: streams.smtp.listen.port }, close);
