import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { LinesOut } from '../../process/lines-out.ts';

const folder = mkdtempSync(join(tmpdir(), 'wrld-lines-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

const full = (): never => {
  throw Object.assign(new Error('write'), { code: 'ENOSPC' });
};

t.test('lines that could not be written go out first when there is room again', t => {
  const path = join(folder, 'held');
  const descriptor = openSync(path, 'a');
  let room = true;
  const out = new LinesOut(() => (room ? descriptor : full()));
  out.write('a\n');
  room = false;
  out.write('b\n');
  out.write('c\n');
  t.equal(readFileSync(path, 'utf8'), 'a\n');
  room = true;
  out.tick();
  t.equal(readFileSync(path, 'utf8'), 'a\nb\nc\n', 'without another line');
  out.write('d\n');
  t.equal(readFileSync(path, 'utf8'), 'a\nb\nc\nd\n');
  t.equal(out.lost, 0);
  closeSync(descriptor);
  t.end();
});

t.test('beyond the bound lines are lost, counted, and told of', t => {
  const path = join(folder, 'lost');
  const descriptor = openSync(path, 'a');
  let room = false;
  let told = 0;
  const out = new LinesOut(() => (room ? descriptor : full()), {
    heldBytesMax: 4,
    onLost: lines => (told += lines),
  });
  out.write('a\n');
  out.write('b\n');
  out.write('c\n');
  out.put(Buffer.from('d\ne\n'), 2);
  t.equal(out.lost, 3);
  t.equal(told, 3);
  room = true;
  out.write('f\n');
  const [a, b, lost, f] = readFileSync(path, 'utf8').trim().split('\n');
  t.strictSame([a, b, f], ['a', 'b', 'f']);
  t.match(JSON.parse(lost ?? ''), { level: 40, lines: 3, why: 'ENOSPC', msg: 'lines of this log were lost' });
  closeSync(descriptor);
  t.end();
});

t.test('a descriptor that takes nothing holds lines and ends nothing', t => {
  const descriptor = openSync('/dev/null', 'r');
  const out = LinesOut.to(descriptor, { heldBytesMax: 2 });
  out.write('a\n');
  out.write('b\n');
  t.equal(out.lost, 1);
  closeSync(descriptor);
  t.end();
});
