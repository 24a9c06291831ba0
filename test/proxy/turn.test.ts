import t from 'tap';
import { atTurnEnd, soon } from '../../proxy/turn.ts';

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

t.test('what waits is called once, in order, after all of this turn', async t => {
  const told: string[] = [];
  for (const name of ['first', 'second']) atTurnEnd({ turnEnds: () => told.push(name) });
  await Promise.resolve();
  t.same(told, [], 'not yet');
  await nextTurn();
  t.same(told, ['first', 'second']);
  await nextTurn();
  t.equal(told.length, 2);
});

t.test('what comes while a turn ends belongs to the next one', async t => {
  const told: string[] = [];
  const again = { turnEnds: () => told.push('again') };
  atTurnEnd({
    turnEnds: () => {
      told.push('once');
      atTurnEnd(again);
    },
  });
  await nextTurn();
  t.same(told, ['once']);
  await nextTurn();
  t.same(told, ['once', 'again']);
});

t.test('what is ready goes at once while it is alone, and waits where turns are crowded', async t => {
  const told: string[] = [];
  const one = (name: string) => ({ turnEnds: () => told.push(name) });
  atTurnEnd(one('alone'));
  await nextTurn();
  // Every sixteenth is made to wait, to see whether it still is alone.
  for (let nth = 0; nth < 16; nth++) soon(one('ready'));
  t.equal(told.filter(name => name === 'ready').length, 15);
  await nextTurn();
  t.equal(told.filter(name => name === 'ready').length, 16);
  for (const name of ['a', 'b']) atTurnEnd(one(name));
  await nextTurn();
  soon(one('crowded'));
  t.notOk(told.includes('crowded'));
  await nextTurn();
  t.ok(told.includes('crowded'));
});
