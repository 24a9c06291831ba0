// One process of a shard: started, spoken with, ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processArguments } from '../../../../process/module-file.ts';
import { shardEnvironment } from '../../environment.ts';
import type { FromShard, ToShard } from './messages.ts';

const MS_PER_TICK = 10;
const STDERR = 2;

export type ShardProcess = {
  readonly pid: number;
  /** Resolves with how it ended, in words. */
  readonly ended: Promise<string>;
  say(message: ToShard): void;
  kill(): void;
  /** Milliseconds of the processors that it has used; null where the system does not tell. */
  cpuMs(): number | null;
};

/** Its log goes where that of this process does. `hear` is called in order. */
export function startShardProcess(script: URL, hear: (message: FromShard) => void): ShardProcess {
  const child = spawn(process.execPath, processArguments(fileURLToPath(script)), {
    // What a twin prints is no part of what the host says on its standard output.
    stdio: ['ignore', STDERR, STDERR, 'ipc'],
    env: shardEnvironment(compileCache()),
    // Rows of the inventory come as bytes.
    serialization: 'advanced',
  });
  child.on('message', message => hear(message as FromShard));
  return {
    pid: child.pid ?? 0,
    ended: endOf(child),
    say: message => {
      if (child.connected) child.send(message, () => {});
    },
    kill: () => void child.kill('SIGKILL'),
    cpuMs: () => cpuMsOf(child.pid),
  };
}

/** The protocol of the code that lies there now; null for what does not start. */
export async function protocolOf(script: URL, waitMs: number): Promise<number | null> {
  const spoken = Promise.withResolvers<number>();
  const running = startShardProcess(script, message => {
    if (message.kind === 'speaks') spoken.resolve(message.protocol);
  });
  running.say({ kind: 'speak' });
  const late = new AbortController();
  const protocol = await Promise.race([
    spoken.promise,
    running.ended.then(() => null),
    setTimeout(waitMs, null, { signal: late.signal }),
  ]);
  late.abort();
  running.kill();
  await running.ended;
  return protocol;
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise(resolve => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
    // Not started at all; of a signal that could not be sent, 'exit' tells.
    child.on('error', error => {
      if (child.pid === undefined) resolve(error.message);
    });
  });
}

function compileCache(): string | undefined {
  const own = (module as Partial<typeof module>).getCompileCacheDir?.();
  return own === undefined ? undefined : dirname(own);
}

/** Of Linux' /proc, whose ticks are a hundredth of a second everywhere. */
function cpuMsOf(pid: number | undefined): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses, with whatever is in that.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return null;
  }
}
