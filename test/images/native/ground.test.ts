// What a run has before it is known what runs in it: made beside its keeper, and known to be made before the run begins.
import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import t from 'tap';
import { GROUND_DESCRIPTOR, GROUND_SCRIPT, openGround, whyNoGround } from '../../../images/native/ground.ts';
import { openSandbox } from '../../../images/native/sandbox.ts';
import { command } from '../../kit/command-line.ts';
import { cannotRunNatively } from '../../kit/native.ts';

const skip = await cannotRunNatively();

t.test('what was said of it, in whatever pieces it comes', async t => {
  for (const [pieces, why] of [
    [['ma', 'de\n'], null],
    [['RTNETLINK answers: Operation not supported\nCommand failed -:3\n', 'made\n'], null],
    [['Error: IPv6 is disabled on this device.\nmade\n'], null],
    [['Cannot find device "lo"\nCommand failed -:1\nmade\n'], 'Cannot find device "lo"'],
    [['mount: /x: permission denied.\nnot made\n'], 'mount: /x: permission denied.'],
    [['not made\n'], 'the ground of the run was not made'],
    [[], 'the ground of the run was not made'],
  ] as const)
    t.equal(await whyNoGround(Readable.from(pieces)), why, pieces.join(''));
});

t.test('it is not waited for longer than it is made, whoever keeps its descriptor', async t => {
  const said = new Readable({ read: () => {} });
  said.push('made\n');
  t.equal(await whyNoGround(said), null);
});

t.test('one that cannot be made is the run’s refusal, and leaves nothing', { skip }, async t => {
  // Other tests have theirs in the usual place.
  const folder = t.testdir();
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = folder;
  t.teardown(() => (TMPDIR === undefined ? delete process.env['TMPDIR'] : (process.env['TMPDIR'] = TMPDIR)));
  const opened = await openSandbox({
    ...{ env: process.env, labelled: true, bytesMax: Number.NaN },
    ...{ tell: () => {}, heard: () => {}, dial: () => {} },
  });
  t.match(opened, { ok: false, why: /mount/ });
  t.strictSame(readdirSync(folder), []);
});

t.test('in the network of whoever starts the run it changes nothing', { skip }, async t => {
  const work = t.testdir();
  const outside = '$(readlink /proc/self/ns/net)';
  const ground = GROUND_SCRIPT.replaceAll("'", "'\\''");
  const begun = `exec ${GROUND_DESCRIPTOR}>&1; sh -c '${ground}' sh "${outside}" "$1" true`;
  // Which waits for all that has the descriptor.
  const script = `said=$(${begun}); echo "$said"; ip xfrm policy; ip route`;
  const namespaces = ['unshare', '--user', '--map-root-user', '--net', '--mount', '--'];
  const ended = await command([...namespaces, 'sh', '-c', script, 'sh', openGround(work, 4_096)], work);
  t.equal(ended.out, 'no network of its own\n', ended.err);
});
