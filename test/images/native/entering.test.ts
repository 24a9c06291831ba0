// How a program comes into its root where there is no perl: by this machine's own tools, as its user, and without a way back.
import t from 'tap';
import { MEMORY_BYTES_MAX, PROCESSES_MAX } from '../../../images/limits.ts';
import { entering } from '../../../images/native/entering.ts';
import { command } from '../../kit/command-line.ts';
import { cannotRunNatively } from '../../kit/native.ts';

const NONE = '0'.repeat(16);
const skip = await cannotRunNatively();

t.test('by the tools, where nothing is told', { skip }, async t => {
  const root = t.testdir();
  // All of this machine is its root, once more; what is in it alone is this file.
  const ground = ['unshare', '--user', '--map-root-user', '--mount', '--', 'sh', '-c'];
  const script =
    'mount --rbind / "$1" && mount -t tmpfs tmpfs "$1/tmp" && touch "$1/tmp/here" && shift && exec "$@"';
  const says =
    'id -u; id -g; pwd; ls /tmp; ulimit -c; grep -E "^(NoNewPrivs|CapPrm|CapEff)" /proc/self/status';
  for (const [uid, gid] of [
    [1234, 1235],
    [0, 0],
  ] as const) {
    const start = {
      words: ['sh', '-c', says],
      limits: { processes: PROCESSES_MAX, memory: MEMORY_BYTES_MAX },
      root: {
        ...{ base: null, made: null, layers: [], files: [], volumes: [], mounts: [], provided: [] },
        ...{ bundle: null, system: [], hidden: [], hosts: [], hostname: 'tools', workingFolder: '/tmp' },
        user: { name: 'user', uid, gid, home: '/' },
      },
    };
    const { words, waits } = entering(start, root, false);
    t.equal(waits, false);
    const ended = await command([...ground, script, 'sh', root, ...words], root);
    const out = `${uid}\n${gid}\n/tmp\nhere\n0\nCapPrm:\t${NONE}\nCapEff:\t${NONE}\nNoNewPrivs:\t1\n`;
    t.match(ended, { code: 0, out }, ended.err);
  }
});
