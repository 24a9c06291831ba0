// The sandbox of macOS as text: golden, and read back, for nobody runs it here.
import t from 'tap';
import { type MacPlan, macProfile } from '../../../images/native/macos-profile.ts';

const plan: MacPlan = {
  root: {
    mounts: [
      { from: '/Users/a/app/ro', at: '/ro', readOnly: true },
      { from: '/Users/a/app/data', at: '/data', readOnly: false },
    ],
    provided: ['/Users/a/app/.wrld/run/trust'],
    bundle: { from: '/Users/a/app/.wrld/run/trust/ca.pem', over: [] },
    system: ['/opt/homebrew'],
    hidden: ['/Users/a/app/.wrld'],
  },
  folder: '/private/var/folders/x/wrld-image-1/root',
  ports: [4100, 4101, 4100],
};

const GOLDEN = `(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read-data (literal "/"))
(allow file-read*
  (subpath "/usr")
  (subpath "/bin")
  (subpath "/sbin")
  (subpath "/System")
  (subpath "/Library/Apple")
  (subpath "/Library/Developer")
  (subpath "/Library/Frameworks")
  (subpath "/Library/Java")
  (subpath "/private/etc/hosts")
  (subpath "/private/etc/localtime")
  (subpath "/private/etc/protocols")
  (subpath "/private/etc/services")
  (subpath "/private/etc/shells")
  (subpath "/private/etc/ssl")
  (subpath "/private/var/db/dyld")
  (subpath "/private/var/db/timezone")
  (subpath "/opt/homebrew")
  (subpath "/private/var/folders/x/wrld-image-1/root")
  (subpath "/Users/a/app/ro")
  (subpath "/Users/a/app/data"))
(allow file-write*
  (subpath "/private/var/folders/x/wrld-image-1/root")
  (subpath "/Users/a/app/data"))
(allow file-read* file-write-data file-ioctl
  (subpath "/dev/fd")
  (subpath "/dev/null")
  (subpath "/dev/random")
  (subpath "/dev/tty")
  (subpath "/dev/urandom")
  (subpath "/dev/zero"))
(deny file-read* file-write*
  (subpath "/Users/a/app/.wrld"))
(allow file-read*
  (subpath "/Users/a/app/.wrld/run/trust")
  (subpath "/Users/a/app/.wrld/run/trust/ca.pem"))
(allow network-outbound (remote ip "localhost:4100"))
(allow network-outbound (remote ip "localhost:4101"))
(allow network-bind (local ip "*:*"))
(allow network-inbound (local ip "*:*"))
`;

/** As a reader of such a text reads it: lists, words, and strings with their escapes. */
function lists(text: string): unknown[] {
  const open: unknown[][] = [[]];
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '(') open.push([]);
    else if (char === ')') {
      const done = open.pop()!;
      open.at(-1)!.push(done);
    } else if (char === '"') {
      let string = '';
      for (at++; text[at] !== '"'; at++) string += text[at] === '\\' ? text[++at] : text[at];
      open.at(-1)!.push({ string });
    } else if (!/\s/.test(char)) {
      const [word] = /^[^\s()"]+/.exec(text.slice(at))!;
      open.at(-1)!.push(word);
      at += word.length - 1;
    }
  }
  t.equal(open.length, 1, 'each list is ended');
  return open[0]!;
}

t.test('golden', t => {
  t.equal(macProfile(plan), GOLDEN);
  const few = macProfile({
    ...plan,
    root: { mounts: [], provided: [], bundle: null, system: [], hidden: [] },
    ports: [],
  });
  t.notMatch(few, /network-outbound|Users|\(deny file/);
  t.end();
});

t.test('[bad-input] a path says itself, and no rule', t => {
  const every = Array.from({ length: 255 }, (_, nth) => String.fromCharCode(nth + 1)).join('');
  for (const path of [
    '/a")) (allow default) (deny file-read* (subpath "/b',
    '/a\\',
    '/a\\")(allow default)',
    '/line\n(allow default)\r;comment #| \u{1f600}',
    '/(param "HOME") $HOME ~ *',
    `/${every}`,
  ]) {
    const hostile = macProfile({
      ...plan,
      folder: path,
      root: {
        ...plan.root,
        mounts: [{ from: path, at: '/x', readOnly: false }],
        provided: [path],
        hidden: [path],
        system: [path],
      },
    });
    const calm = macProfile({
      ...plan,
      folder: '/calm',
      root: {
        ...plan.root,
        mounts: [{ from: '/calm', at: '/x', readOnly: false }],
        provided: ['/calm'],
        hidden: ['/calm'],
        system: ['/calm'],
      },
    });
    const text = JSON.stringify(lists(calm)).replaceAll('"/calm"', () => JSON.stringify(path));
    t.strictSame(lists(hostile), JSON.parse(text), JSON.stringify(path));
  }
  for (const folder of ['/a\0b', 'relative', ''])
    t.throws(() => macProfile({ ...plan, folder }), { message: /no path/ });
  t.end();
});
