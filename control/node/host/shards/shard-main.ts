// A shard of a host as a process of its own. It ends when its front tells it to, or is gone.
import { outliveFileLimit } from '../../../../process/file-limit.ts';
import { asControlError, ControlError } from '../../control-error.ts';
import { openLog } from '../../log.ts';
import { type Begin, type FromShard, SHARD_PROTOCOL, type ToShard } from './messages.ts';
import { openShardWorlds, type ShardWorlds } from './shard-worlds.ts';

const FAILED = 1;

outliveFileLimit();
// They come to all processes of a group or a service at once; the front drains first, and then says so.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

const begun = Promise.withResolvers<Begin>();
const toEnd = Promise.withResolvers<void>();
let worlds: ShardWorlds | null = null;
process.on('disconnect', () => toEnd.resolve());
process.on('message', (message: ToShard) => {
  if (message.kind === 'begin') begun.resolve(message);
  else if (message.kind === 'speak') say({ kind: 'speaks', protocol: SHARD_PROTOCOL });
  else if (message.kind === 'close') toEnd.resolve();
  else worlds?.take(message);
});

const begin = await begun.promise;
process.on('uncaughtExceptionMonitor', error =>
  openLog(begin.logLevel).error({ shard: begin.shard, err: error }, 'the shard ends in a bug'),
);
try {
  worlds = await openShardWorlds(begin, say);
  say({ kind: 'up' });
  await toEnd.promise;
  await worlds.close();
  process.exit(0);
} catch (thrown) {
  const error = asControlError(thrown, begin.directory);
  if (!(error instanceof ControlError)) throw error;
  say({ kind: 'failed', why: error.message });
  process.disconnect?.();
  process.exit(FAILED);
}

function say(message: FromShard): void {
  // Nobody hears it where the front is gone, and then this process is about to end.
  if (process.connected) process.send?.(message, () => {});
}
