// What keeps a native run changes the network that it is in: it does so in namespaces of the run alone.
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { command } from '../../kit/command-line.ts';
import { cannotRunNatively } from '../../kit/native.ts';

const KEEPER = fileURLToPath(new URL('../../../images/native/keeper.ts', import.meta.url));

t.test(
  'by itself, or in the network of who started it, it touches nothing',
  { skip: await cannotRunNatively() },
  async t => {
    const node = `"${process.execPath}" --disable-warning=ExperimentalWarning "${KEEPER}"`;
    // In a network that is nobody's, should it fail to look.
    const script = `
    cat /proc/sys/net/ipv4/ip_unprivileged_port_start; ip xfrm policy
    ${node}; echo $?; ${node} "$(readlink /proc/self/ns/net)"; echo $?
    cat /proc/sys/net/ipv4/ip_unprivileged_port_start; ip xfrm policy`;
    const words = ['unshare', '--user', '--map-root-user', '--net', '--mount', 'sh', '-c', script];
    const { out, err } = await command(words, '/');
    t.equal(out, '1024\n1\n1\n1024\n', err);
    t.equal(err.match(/in namespaces of its own alone; start one: wrld image run/g)?.length, 2, err);
  },
);
