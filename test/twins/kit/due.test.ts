// What a twin waits for: scheduled by its kind, handled by that kind's handler, and nothing else.
import t from 'tap';
import { type DueHandlers, handleDue, schedule } from '../../../twins/kit/due.ts';
import type { RecordBody } from '../../../twins/kit/tx.ts';

type Kinds = { readonly ring: { readonly bell: string }; readonly close: { readonly door: number } };

const HANDLERS: DueHandlers<Kinds, string[]> = {
  ring: ({ bell }, heard) => void heard.push(`ring ${bell}`),
  close: ({ door }, heard) => void heard.push(`close ${door}`),
};

t.test('what is scheduled is handled by its kind', t => {
  const waiting: (readonly [string, number, RecordBody])[] = [];
  const tx = {
    schedule: (key: string, at: number, payload: RecordBody) => void waiting.push([key, at, payload]),
  };
  schedule<Kinds>(tx, 'a', 5, { kind: 'ring', bell: 'front' });
  schedule<Kinds>(tx, 'b', 6, { kind: 'close', door: 2 });
  t.strictSame(waiting[0], ['a', 5, { kind: 'ring', bell: 'front' }]);
  const heard: string[] = [];
  for (const [, , payload] of waiting) handleDue(HANDLERS, payload, heard);
  t.strictSame(heard, ['ring front', 'close 2']);
  t.end();
});

t.test('a kind that has no handler is an error, whatever it is called', t => {
  for (const kind of ['open', 'constructor', '__proto__', undefined, 7])
    t.throws(() => handleDue(HANDLERS, { kind }, []), /nothing waits for/, String(kind));
  t.end();
});
