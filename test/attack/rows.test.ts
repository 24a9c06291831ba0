// The checklist of rows.ts names tests that exist.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROWS } from './rows.ts';

const TESTS = join(import.meta.dirname, '..');

t.test('every row names a test, and every test named exists', t => {
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const path = join(TESTS, file);
    const text = texts.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '');
    texts.set(file, text);
    return text;
  };
  const wrong: string[] = [];
  let row: string | null = null;
  let rows = 0;
  for (const line of [...ROWS.trim().split('\n'), '# the end']) {
    const proof = /^ {2}(\S+): (.+)$/.exec(line);
    if (proof === null) {
      if (row !== null) wrong.push(`no test: ${row}`);
      row = line.startsWith('# ') ? null : line;
      if (row !== null) rows++;
      continue;
    }
    row = null;
    const [, file, name] = proof;
    const quoted = ["'", '`', '"'].some(quote => textOf(file!).includes(`${quote}${name}${quote}`));
    if (!quoted) wrong.push(`${file} has no test "${name}"`);
  }
  t.strictSame(wrong, []);
  t.ok(rows > 100, `${rows} rows`);
  t.end();
});
