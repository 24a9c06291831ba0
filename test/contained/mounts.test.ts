import t from 'tap';
import { ownHosts } from '../../contained/mounts.ts';

t.test('inside, the hosts file keeps this machine’s own loopback: all other names are looked up', t => {
  const text =
    '127.0.0.1\tlocalhost db.local\n10.0.0.5 db.example\n::1 localhost\n::12 other\n# a note\n 127.0.1.1 box\n';
  t.equal(ownHosts(text), '127.0.0.1\tlocalhost db.local\n::1 localhost\n 127.0.1.1 box\n');
  t.end();
});
