// A world as `wrld world serve` serves it: control alone, its twins by URL. Argument: its folder.
import { serveControl } from '../../control/node/control.ts';
import { openLog } from '../../control/node/log.ts';
import { ready } from '../child.ts';

const control = await serveControl({
  folder: process.argv[2]!,
  host: '127.0.0.1',
  port: 0,
  log: openLog('error'),
});
const close = (): void => void control.close().then(() => process.exit(0));
process.once('SIGTERM', close);
ready({ worldUrl: control.worldUrl, token: control.token }, close);
