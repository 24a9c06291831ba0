import t from 'tap';
import type { Durability } from '../../../../control/ports/durability.ts';
import { Threshold } from '../../../../control/world/store/threshold.ts';

type Group = PromiseWithResolvers<void>;

/** A store whose groups, and a host whose puts, a test ends by hand. */
const openThreshold = () => {
  let group: Group | null = null;
  const blobs = { putting: null as Promise<void> | null };
  const durability: Durability = {
    lasting: () => group?.promise ?? null,
    onLost: () => {},
    resting: () => null,
    durable: work => work(),
  };
  return {
    threshold: new Threshold(durability, blobs),
    blobs,
    begin: (): Group => {
      const begun: Group = Promise.withResolvers<void>();
      group = begun;
      return begun;
    },
    end: (): void => {
      group = null;
    },
  };
};

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

t.test(
  'what waits for nothing leaves at once, the rest when it lasts, in the order of the calls',
  async t => {
    const { threshold, begin, end } = openThreshold();
    const left: string[] = [];
    threshold.once(() => left.push('a'));
    t.same(left, ['a']);
    const first = begin();
    threshold.once(() => left.push('b'));
    threshold.once(() => left.push('c'));
    const second = begin();
    threshold.once(() => left.push('d'));
    end();
    threshold.once(() => left.push('e'));
    t.same(left, ['a'], 'nothing overtakes what waits');
    second.resolve();
    await turn();
    t.same(left, ['a']);
    first.resolve();
    await turn();
    t.same(left, ['a', 'b', 'c', 'd', 'e']);
    threshold.once(() => left.push('f'));
    t.equal(left.at(-1), 'f', 'at once again');
  },
);

t.test('what is lost never leaves, and who asked is told so', async t => {
  const { threshold, begin, end } = openThreshold();
  const left: string[] = [];
  const lost = begin();
  threshold.once(() => left.push('a'));
  const answer = t.rejects(threshold.pass('answer'), { message: 'the disk is full' });
  lost.reject(new Error('the disk is full'));
  end();
  await answer;
  await turn();
  threshold.once(() => left.push('b'));
  t.same(left, ['b']);
});

t.test('bytes on their way to the host are waited for like transactions, and with them', async t => {
  const { threshold, blobs, begin, end } = openThreshold();
  const put = Promise.withResolvers<void>();
  blobs.putting = put.promise.then(() => {
    blobs.putting = null;
  });
  const left: string[] = [];
  const group = begin();
  threshold.once(() => left.push('a'));
  const answer = threshold.pass('answer');
  group.resolve();
  end();
  await turn();
  threshold.once(() => left.push('b'));
  t.same(left, []);
  put.resolve();
  t.equal(await answer, 'answer');
  await turn();
  t.same(left, ['a', 'b']);
  t.equal(threshold.waiting(), null);
});

t.test('what lasts already goes also when what it stood behind is lost', async t => {
  const { threshold, begin, end } = openThreshold();
  const left: string[] = [];
  const group = begin();
  threshold.once(() => left.push('lost'));
  // The store holds that group no more, while who waits for it hears of its loss a moment after this.
  end();
  threshold.once(() => left.push('lasts'));
  group.reject(new Error('the disk is full'));
  await turn();
  t.same(left, ['lasts']);
  threshold.once(() => left.push('next'));
  t.same(left, ['lasts', 'next']);
});
