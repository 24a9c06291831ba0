// Starts the relay of a contained run, in the run's own namespaces. Plain JavaScript, so that the first thing it does is
// to start the gate, and so that Node finds the rest of the relay compiled from the time before.
import { spawn } from 'node:child_process';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

process.once('message', async ({ outerScript, firstAsk, relay, path, cacheFolder }) => {
  const gate = spawn(
    'unshare',
    [
      ...['--net', '--', 'sh', '-c', 'eval "$WRLD_OUTER"', 'sh', String(process.pid)],
      ...[process.execPath, fileURLToPath(new URL('./gate.js', import.meta.url)), String(process.pid)],
    ],
    {
      stdio: ['ignore', 'pipe', 2, 'ipc'],
      env: { PATH: path, WRLD_OUTER: outerScript },
    },
  );
  gate.on('error', error => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  gate.send(firstAsk);
  module.enableCompileCache?.(cacheFolder);
  try {
    const { Relay } = await import(relay);
    new Relay(gate);
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    gate.kill('SIGKILL');
    process.exit(1);
  }
});
