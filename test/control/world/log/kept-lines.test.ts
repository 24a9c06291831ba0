import t from 'tap';
import type { EntryLine } from '../../../../control/world/log/entry.ts';
import { KeptLines } from '../../../../control/world/log/kept-lines.ts';

const line = (pos: number, chars: number): EntryLine => ({
  twin: 'a',
  pos,
  at: 0,
  caller: null,
  json: 'x'.repeat(chars),
});

t.test('those that came first go when there are too many characters of them', t => {
  const kept = new KeptLines(100);
  for (let pos = 1; pos <= 4; pos++) kept.keep(line(pos, 30));
  t.equal(kept.get({ twin: 'a', pos: 1 }), undefined);
  t.strictSame(
    [2, 3, 4].map(pos => kept.get({ twin: 'a', pos })?.pos),
    [2, 3, 4],
  );
  t.equal(kept.get({ twin: 'b', pos: 2 }), undefined, 'each twin has positions of its own');
  t.end();
});

t.test('one that is too long by itself is not kept, and takes no other with it', t => {
  const kept = new KeptLines(100);
  kept.keep(line(1, 90));
  kept.keep(line(2, 101));
  kept.keep(line(1, 90));
  t.equal(kept.get({ twin: 'a', pos: 2 }), undefined);
  t.equal(kept.get({ twin: 'a', pos: 1 })?.pos, 1);
  kept.forget();
  t.equal(kept.get({ twin: 'a', pos: 1 }), undefined);
  for (let pos = 3; pos <= 5; pos++) kept.keep(line(pos, 33));
  t.equal(kept.get({ twin: 'a', pos: 3 })?.pos, 3, 'what was forgotten takes no room');
  t.end();
});
