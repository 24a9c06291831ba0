// The stack for Node 22 beside the runtime's own: the same order, the same ends.
import t from 'tap';
import { OlderAsyncDisposableStack } from '../../process/disposable-stack.ts';

for (const [name, Stack] of [
  ['the package’s', OlderAsyncDisposableStack as unknown as typeof AsyncDisposableStack],
  ['the runtime’s', AsyncDisposableStack],
] as const) {
  t.test(`${name} stack ends what it holds, last first, once`, async t => {
    const ended: string[] = [];
    const stack = new Stack();
    stack.use({ [Symbol.dispose]: () => void ended.push('used') });
    stack.use({ [Symbol.asyncDispose]: async () => void ended.push('used asynchronously') });
    t.equal(stack.use(null), null);
    stack.defer(() => void ended.push('deferred'));
    await stack.disposeAsync();
    await stack.disposeAsync();
    t.strictSame(ended, ['deferred', 'used asynchronously', 'used']);
    t.throws(() => stack.defer(() => {}), ReferenceError);
    t.throws(() => new Stack().use({} as AsyncDisposable), TypeError);
  });

  t.test(`${name} stack that was moved ends nothing; what it was moved to does`, async t => {
    const ended: string[] = [];
    const first = new Stack();
    first.defer(() => void ended.push('deferred'));
    const second = first.move();
    await first[Symbol.asyncDispose]();
    t.strictSame(ended, []);
    t.throws(() => first.move(), ReferenceError);
    await second[Symbol.asyncDispose]();
    t.strictSame(ended, ['deferred']);
  });

  t.test(`${name} stack ends everything, whatever fails on the way`, async t => {
    const ended: string[] = [];
    const stack = new Stack();
    stack.defer(() => void ended.push('first'));
    stack.defer(() => Promise.reject(new Error('second')));
    stack.defer(() => {
      throw new Error('third');
    });
    const failure = await stack.disposeAsync().catch((error: unknown) => error);
    t.match(failure, {
      name: 'SuppressedError',
      error: { message: 'second' },
      suppressed: { message: 'third' },
    });
    t.strictSame(ended, ['first']);
  });
}
