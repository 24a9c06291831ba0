import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openLogFile } from '../../process/log-file.ts';

function place(t: Test): { readonly path: string; files(): readonly string[]; read(name: string): string } {
  const folder = mkdtempSync(join(tmpdir(), 'wrld-log-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return {
    path: join(folder, 'log'),
    files: () => readdirSync(folder).sort(),
    read: name => readFileSync(join(folder, name), 'utf8'),
  };
}

t.test('a file that would be too long is set aside, and the oldest are removed', t => {
  const { path, files, read } = place(t);
  const out = openLogFile({ path, rotates: true, bytesMax: 4, oldFilesMax: 2 });
  for (const line of ['a\n', 'b\n', 'c\n']) out.write(line);
  t.strictSame([read('log.1'), read('log')], ['a\nb\n', 'c\n']);
  for (const line of ['d\n', 'e\n', 'f\n', 'g\n']) out.write(line);
  t.strictSame(files(), ['log', 'log.1', 'log.2'], 'never more than these');
  t.strictSame([read('log.2'), read('log.1'), read('log')], ['c\nd\n', 'e\nf\n', 'g\n']);
  out.write('longer than the bound\n');
  t.equal(read('log'), 'longer than the bound\n', 'a line is never cut');
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.end();
});

t.test('several may write: one rotates, also without lines of its own, and the others follow it', t => {
  const { path, read } = place(t);
  const main = openLogFile({ path, rotates: true, bytesMax: 4 });
  const worker = openLogFile({ path, rotates: false, bytesMax: 4 });
  for (const line of ['a\n', 'b\n', 'c\n']) worker.write(line);
  t.equal(read('log'), 'a\nb\nc\n', 'it is not the worker’s to rotate');
  main.tick();
  worker.write('d\n');
  t.strictSame([read('log.1'), read('log')], ['a\nb\nc\n', 'd\n']);
  t.end();
});

t.test('a file that somebody moved away is begun anew', t => {
  const { path, read } = place(t);
  const out = openLogFile({ path, rotates: true });
  out.write('a\n');
  renameSync(path, `${path}.mine`);
  out.write('b\n');
  t.strictSame([read('log.mine'), read('log')], ['a\n', 'b\n']);
  t.end();
});
