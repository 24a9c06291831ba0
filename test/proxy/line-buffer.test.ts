import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { openLogFile } from '../../process/log-file.ts';
import { LineBuffer } from '../../proxy/line-buffer.ts';

t.test('a line goes out after a while though nothing follows it', async t => {
  const out = Promise.withResolvers<readonly [text: string, lines: number]>();
  const buffer = new LineBuffer({ put: (bytes, lines) => out.resolve([bytes.toString(), lines]), tick() {} });
  buffer.write('one\n');
  buffer.write('two\n');
  // The buffer's own timer keeps no process up; this one does.
  const up = setInterval(() => {}, 1_000);
  t.strictSame(await out.promise, ['one\ntwo\n', 2]);
  clearInterval(up);
  buffer.end();
});

t.test('lines come out whole and in order: at the end, when much is held, and long ones', t => {
  const folder = mkdtempSync(join(tmpdir(), 'wrld-lines-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'log');
  const out = openLogFile({ path: file, rotates: true });
  out.tick();
  const buffer = new LineBuffer(out);
  const written: string[] = [];
  const write = (line: string): void => {
    written.push(line);
    buffer.write(line);
  };
  write('first\n');
  t.equal(readFileSync(file, 'utf8'), '', 'not a system call a line');
  written.push('of the process\n');
  buffer.atOnce.write('of the process\n');
  t.equal(
    readFileSync(file, 'utf8'),
    written.join(''),
    'but what is about the process goes out, after what was there',
  );
  for (let nth = 0; nth < 5_000; nth++) write(`${nth} ‘grüße’ ${'€'.repeat(nth % 50)}\n`);
  write(`${'€'.repeat(50_000)}\n`);
  write('last\n');
  buffer.end();
  t.ok(readFileSync(file, 'utf8') === written.join(''), 'every byte');
  t.equal(out.lost, 0);
  t.end();
});
