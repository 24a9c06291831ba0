// The listeners that answer for every address: opened before the relay where there is perl, and by a process of their own
// where there is none, or where a world names more of them. Either way a program inside sees the same.
import t from 'tap';
import { command, openWorlds } from '../kit/command-line.ts';
import { cannotContain, lacks, runWords } from '../kit/contained.ts';

const skip = await cannotContain();
const noPerl = await lacks('perl');
const worlds = await openWorlds();
t.teardown(worlds.remove);

/** None of the usual ones. */
const ANOTHER_PORT = 7_777;
const KNOWN_RESOLVERS = ['8.8.8.8', '2001:4860:4860::8888'];
/** As the machine has them: of each kind, one in another notation, and what is none. */
const OWN_RESOLVERS = ['192.0.2.53', '2001:db8:0:0::35', '::ffff:192.0.2.54', '1::2::3', '1.2.3'];

const SCRIPT = `
  const { lookup, promises: { Resolver } } = require('node:dns');
  const { connect } = require('node:net');
  const heard = (host, port) => new Promise(resolve => {
    const socket = connect({ host, port }, () => socket.write('GET / HTTP/1.1\\r\\nHost: ' + host + ':' + port + '\\r\\n\\r\\n'));
    socket.once('data', data => { socket.destroy(); resolve(/"rule":"([a-z-]+)"/.exec(data)?.[1] ?? String(data)); });
    socket.once('error', error => resolve(error.code));
  });
  const asked = server => {
    const resolver = new Resolver({ timeout: 5000, tries: 1 });
    resolver.setServers([server]);
    return resolver.resolve4('api.stripe.com').then(([found]) => /^198\\.1[89]\\./.test(found), error => error.code);
  };
  (async () => console.log(JSON.stringify({
    named: await heard('192.0.2.7', ${ANOTHER_PORT}),
    usual: await heard('192.0.2.7', 8443),
    others: await heard('192.0.2.7', ${ANOTHER_PORT + 1}),
    resolvers: await Promise.all(${JSON.stringify([...KNOWN_RESOLVERS, ...OWN_RESOLVERS.slice(0, 2)])}.map(asked)),
    system: await new Promise(resolve => lookup('api.stripe.com', error => resolve(error?.code ?? true))),
  })))();`;

/** But for the standard streams, which are sockets where a Node has made them. */
const DESCRIPTORS = 'cd /proc/self/fd; for each in *; do [ "$each" -le 2 ] || readlink "$each"; done; true';

const SAID = {
  named: 'not-granted',
  usual: 'not-granted',
  others: 'ECONNREFUSED',
  resolvers: [true, true, true, true],
  system: true,
};

/** In front of a run, as this machine were otherwise: with other resolvers, and without perl. */
function otherwise(resolvers: string, perl: boolean): readonly string[] {
  const hidden = 'for each in $(which -a perl); do mount --bind /dev/null "$each"; done;';
  const script = `mount --bind "$1" /etc/resolv.conf && shift && { ${perl ? '' : hidden} exec "$@"; }`;
  return ['unshare', '--user', '--map-root-user', '--mount', '--', 'sh', '-c', script, 'sh', resolvers];
}

for (const perl of [true, false])
  t.test(
    `[4.2] ${perl ? 'opened before the relay' : 'without perl'}`,
    { skip: skip || (perl && noPerl) },
    async t => {
      const folder = await worlds.make(perl ? 'before' : 'beside', {
        runtime: { network: { egress: [`http://granted.example:${ANOTHER_PORT}/`] } },
      });
      const resolvers = `${t.testdir({ conf: OWN_RESOLVERS.map(each => `nameserver ${each}\n`).join('') })}/conf`;
      const words = [...otherwise(resolvers, perl), ...runWords('env', '-i', process.execPath, '-e', SCRIPT)];
      const ended = await command(words, folder);
      t.equal(ended.code, 0, ended.err);
      t.strictSame(JSON.parse(ended.out), SAID, ended.err);

      const seen = await command(
        [...otherwise(resolvers, perl), ...runWords('sh', '-c', DESCRIPTORS)],
        folder,
      );
      t.equal(seen.code, 0, seen.err);
      const nobodys = seen.out.split('\n').filter(each => /^(?:socket|net|mnt):|ns\/net/.test(each));
      t.strictSame(nobodys, [], 'no listener and no namespace of the relay’s is the program’s');
    },
  );
