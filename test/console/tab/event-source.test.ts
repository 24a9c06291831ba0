// The lines of an event stream, however its bytes were cut.
import t from 'tap';

type Told = {
  readonly type: string;
  readonly data: string | null;
  readonly id: string;
  readonly retryMs: number | null;
};
type Reader = { read(text: string): Told[] };
const { EventReader } = (await import(
  new URL('../../../console/tab/event-source.js', import.meta.url).href
)) as { EventReader: new () => Reader };

const STREAM =
  ': a comment\r\nid: 1\r\ndata: one\r\n\r\nevent: move\ndata:two\ndata: lines\n\nretry: 20\n\ndata\n\nid: 2\rdata:  x\r\r\nnothing: of it\n\ndata: unended';
const WANT: readonly Told[] = [
  { type: 'message', data: 'one', id: '1', retryMs: null },
  { type: 'move', data: 'two\nlines', id: '1', retryMs: null },
  { type: 'message', data: null, id: '1', retryMs: 20 },
  { type: 'message', data: '', id: '1', retryMs: null },
  { type: 'message', data: ' x', id: '2', retryMs: null },
];

t.test('[7.1] events are read as the platform reads them', async t => {
  for (const size of [1, 2, 3, 7, STREAM.length]) {
    const reader = new EventReader();
    const told: Told[] = [];
    for (let at = 0; at < STREAM.length; at += size) told.push(...reader.read(STREAM.slice(at, at + size)));
    t.strictSame(told, WANT, `in parts of ${size}`);
  }
});
