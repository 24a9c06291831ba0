// What a twin's own functions answer is looked at before it is believed. What becomes of one that throws or never returns is
// test/control/node/twin-module.test.ts's.
import t from 'tap';
import { guardedTwin } from '../../../../control/world/twins/guarded-twin.ts';
import { noteTwin } from '../../../kit/note-twin.ts';

t.test(
  '[1] the wait before a webhook goes out again is a whole number of milliseconds, or there is none',
  async t => {
    for (const [said, wait] of [
      [0, 0],
      [1500, 1500],
      [null, null],
      [-1, null],
      [1.5, null],
      [Number.NaN, null],
      [Number.POSITIVE_INFINITY, null],
      ['60', null],
      [undefined, null],
    ] as const) {
      const twin = guardedTwin(
        { ...noteTwin().twin, retryAfter: () => said as number },
        { vendor: 'note', log: { debug() {}, info() {}, warn() {}, error() {} }, bound: work => work() },
      );
      t.equal(twin.retryAfter?.(1), wait, String(said));
    }
  },
);
