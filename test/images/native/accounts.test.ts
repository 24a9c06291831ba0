// Users and groups by an image's own lists, whatever is in them.
import { join } from 'node:path';
import t from 'tap';
import { ACCOUNTS_BYTES_MAX } from '../../../images/limits.ts';
import { accountIn } from '../../../images/native/accounts.ts';

const PASSWD =
  'root:x:0:0::/root:/bin/sh\napp:x:1000:1001:App:/srv/app:/bin/false\nodd:x:7\nbad:x:x:y::relative:\n';
const GROUP = 'root:x:0:\nstaff:x:50:app\n';

t.test('[7.1] who a config names, as a container runtime finds them', async t => {
  const root = t.testdir({ etc: { passwd: PASSWD, group: GROUP } });
  const app = { name: 'app', uid: 1000, gid: 1001, home: '/srv/app' };
  for (const [asked, user] of [
    [null, { name: 'root', uid: 0, gid: 0, home: '/root' }],
    ['root', { name: 'root', uid: 0, gid: 0, home: '/root' }],
    ['app', app],
    ['1000', app],
    ['app:staff', { ...app, gid: 50 }],
    ['app:7', { ...app, gid: 7 }],
    ['app:', app],
    ['4321', { name: '4321', uid: 4321, gid: 0, home: '/' }],
    ['4321:staff', { name: '4321', uid: 4321, gid: 50, home: '/' }],
    ['odd', { name: 'odd', uid: 7, gid: 0, home: '/' }],
  ] as const)
    t.strictSame(accountIn(root, asked), { ok: true, user }, String(asked));
});

t.test('[bad-input] who is not there, and lists that are none', async t => {
  const root = t.testdir({ etc: { passwd: PASSWD, group: GROUP } });
  for (const [asked, why] of [
    ['nobody', /its user nobody is not in/],
    ['bad', /its user bad is not in/],
    ['app:none', /its group none is not in/],
    ['9999999999', /its user 9999999999 is not in/],
  ] as const)
    t.match(accountIn(root, asked), { ok: false, why }, asked);
  const bare = t.testdir({ bare: {}, outside: { passwd: 'app:x:5:5::/:\n' } });
  t.match(accountIn(join(bare, 'bare'), null), { ok: true, user: { uid: 0, gid: 0, home: '/' } });
  t.match(accountIn(join(bare, 'bare'), 'root'), { ok: true, user: { uid: 0, home: '/' } });
  t.match(accountIn(join(bare, 'bare'), 'app'), { ok: false });
  const up = t.fixture('symlink', '../../../outside/passwd');
  const linked = t.testdir({ root: { etc: { passwd: up } }, outside: { passwd: 'app:x:5:5::/:\n' } });
  t.match(
    accountIn(join(linked, 'root'), 'app'),
    { ok: false },
    'a link that leads out of the image leads nowhere',
  );
  const long = t.testdir({ etc: { passwd: `app:x:5:5::/:\n${'#'.repeat(ACCOUNTS_BYTES_MAX)}` } });
  t.match(accountIn(long, 'app'), { ok: false }, 'a list longer than any');
});
