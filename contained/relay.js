// Starts the relay of a contained run, in the run's own namespaces. Plain JavaScript, so that the first thing it does is
// to start the gate, and so that Node finds the rest of the relay compiled from the time before.
import { spawn } from 'node:child_process';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [outerScript, firstAsk, cacheFolder] = process.argv.slice(2);
const gate = spawn(
  'unshare',
  [
    ...['--net', '--', 'sh', '-c', outerScript, 'sh', String(process.pid)],
    ...[process.execPath, fileURLToPath(new URL('./gate.js', import.meta.url)), firstAsk],
  ],
  { stdio: ['ignore', 'ignore', 2, 'ipc'], serialization: 'json' },
);
module.enableCompileCache?.(cacheFolder || undefined);
const { Relay } = await import('./relay.ts');
new Relay(gate);
