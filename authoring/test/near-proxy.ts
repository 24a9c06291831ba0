// The proxy of a test's world, in the thread of its control: the same server as in a process of its own, up in
// milliseconds. It tells control of a refusal before the client has it, so a test that looks afterwards finds it.
import type { StartProxy } from '../../control/node/data-plane.ts';
import { readProxyConfig } from '../../proxy/config.ts';
import { startServer } from '../../proxy/start-server.ts';
import { Subscriber } from '../../proxy/subscriber.ts';
import { wayOutEnvironment } from './environment.ts';
import { DRAIN_MS_MAX } from './limits.ts';

const QUIET = { info: () => {}, warn: () => {} };

export const startNearProxy: StartProxy = async ({ args }, onRefused) => {
  const read = readProxyConfig(args, wayOutEnvironment());
  if (!read.ok) throw new Error(read.why);
  const { config } = read;
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const server = await startServer(config, {
    snapshot: () => subscriber.snapshot,
    refused: (run, record, agent) =>
      onRefused({ type: 'refused', at: Date.now(), run: run.name, record, agent }),
  });
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> =>
    (stopping ??= server.drain(DRAIN_MS_MAX).then(() => {
      subscriber.stop();
      end('drained');
    }));
  const subscriber = new Subscriber({
    socketPath: config.ipcSocket,
    listen: () => server.address,
    onDrain: () => void stop(),
    spread: () => null,
    onAnswer: () => {},
    log: QUIET,
  });
  subscriber.start();
  return { pid: process.pid, ended, signal: () => void stop(), said: async () => '' };
};
