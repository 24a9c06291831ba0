// A call to a model as people speak of it.
import t from 'tap';
import { TURN_WORDING } from '../../../twins/kit/turn-wording.ts';

t.test('what was asked for, and what came of it', t => {
  const told = (body: object): (string | null | undefined)[] => [
    TURN_WORDING.title?.(body as never, () => undefined),
    TURN_WORDING.summary?.(body as never, () => undefined),
  ];
  t.strictSame(
    told({
      model: 'm-1',
      request: { lastUser: 'How much?' },
      answer: { text: 'EUR 19', toolCalls: [{ name: 'prices' }] },
    }),
    ['“How much?” to m-1', 'answered “EUR 19”, calls prices'],
  );
  t.strictSame(told({ model: 'm-2', endpoint: 'audio.speech', request: { input: 'x'.repeat(100) } }), [
    `“${'x'.repeat(80)}…” to m-2`,
    '',
  ]);
  t.strictSame(told({ model: 'm-3', endpoint: 'embeddings', request: {} }), ['embeddings to m-3', '']);
  t.end();
});
