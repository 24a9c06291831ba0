import t from 'tap';
import { possible, whatForbids } from '../../contained/possible.ts';

t.test('elsewhere than on Linux there are no namespaces', async t => {
  t.strictSame(possible({}, 'darwin'), { ok: false, why: 'darwin has no network namespaces' });
});

t.test('what the programs said of it is told where no setting explains it', async t => {
  t.equal(
    await whatForbids('RTNETLINK answers: Operation not supported\n'),
    'this kernel has no virtual links (veth)',
  );
  t.equal(await whatForbids('ip: something new\nand more'), 'ip: something new');
  t.equal(await whatForbids(''), 'the namespaces could not be made');
});
