// A build file as instructions: lines that go on, comments, flags, here-documents, and what is too much.
import t from 'tap';
import { readInstructions } from '../../images/instructions.ts';
import { INSTRUCTIONS_MAX } from '../../images/limits.ts';

const brief = (text: string) =>
  readInstructions(text, 'Dockerfile').instructions.map(({ keyword, line, flags, rest }) => [
    line,
    keyword,
    ...[...flags].map(([name, value]) => `--${name}=${value}`),
    rest,
  ]);

t.test('each instruction has the line that it begins at', t => {
  t.strictSame(
    brief(
      '\ufeff# comment\r\n\r\nfrom a\r\n  ENV X=1 \\\n# between\n\n  Y=2\nCOPY --from=b --chown=u:g a b\n',
    ),
    [
      [3, 'FROM', 'a'],
      [4, 'ENV', 'X=1   Y=2'],
      [8, 'COPY', '--from=b', '--chown=u:g', 'a b'],
    ],
  );
  t.strictSame(brief('# escape=`\nRUN a `\n b\nRUN c \\\nRUN d'), [
    [2, 'RUN', 'a  b'],
    [4, 'RUN', 'c \\'],
    [5, 'RUN', 'd'],
  ]);
  t.strictSame(brief('FROM a\n# escape=`\nRUN b \\\n c'), [
    [1, 'FROM', 'a'],
    [3, 'RUN', 'b  c'],
  ]);
  t.strictSame(brief('CMD a \\'), [[1, 'CMD', 'a']]);
  t.end();
});

t.test('here-documents are passed over', t => {
  const text = 'RUN <<EOF cat && <<-"B"\nCMD no\nEOF\n\tCMD no\n\tB\nCOPY <<A /x\nA\nENV X=<<A\nCMD yes';
  t.strictSame(
    brief(text).map(([line, keyword]) => [line, keyword]),
    [
      [1, 'RUN'],
      [6, 'COPY'],
      [8, 'ENV'],
      [9, 'CMD'],
    ],
  );
  t.throws(() => brief('FROM a\nRUN <<EOF\nCMD no'), {
    message: /^Dockerfile:2: its here-document has no end: EOF/,
  });
  t.end();
});

t.test('more than so many are refused', t => {
  t.throws(() => brief('RUN a\n'.repeat(INSTRUCTIONS_MAX + 1)), { message: /more than 5000 instructions/ });
  t.end();
});
