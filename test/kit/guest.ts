// A machine and a guest of it, as of a virtual machine: two network namespaces with a link, each with an address on it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { within } from './deadline.ts';

/** On the link: the machine's address, which the guest knows, and its own. */
export const MACHINE = '10.77.0.1';
const GUEST = '10.77.0.2';

const SCRIPT = `set -e
ip link set lo up
unshare --net sleep 1000000 & guest=$!
until [ "$(readlink /proc/$guest/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
ip link add vm0 type veth peer name eth0 netns $guest
ip address add ${MACHINE}/24 dev vm0
ip link set vm0 up
nsenter --net=/proc/$guest/ns/net sh -ec '
  ip link set lo up; ip address add ${GUEST}/24 dev eth0; ip link set eth0 up; ip route add default via ${MACHINE}'
echo $guest
wait`;

export type GuestMachine = AsyncDisposable & {
  /** In front of words that run in the machine's network, or in the guest's. */
  readonly machine: readonly string[];
  readonly guest: readonly string[];
};

/** Rejects with what was said where this machine has no such namespaces. */
export async function openGuestMachine(): Promise<GuestMachine> {
  const child = spawn('unshare', ['--user', '--map-root-user', '--net', '--', 'sh', '-c', SCRIPT], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own group: what the script started ends with it.
    detached: true,
  });
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(said)));
  const line = once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>;
  const [guest] = await within('the machine and its guest', Promise.race([line, failed]));
  failed.catch(() => {});
  const enter = (pid: number | string): readonly string[] => [
    ...['nsenter', '--target', String(pid), '--user', '--net', '--preserve-credentials', '--'],
  ];
  return {
    machine: enter(child.pid!),
    guest: enter(guest),
    [Symbol.asyncDispose]: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
  try {
    process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
  await ended;
}
