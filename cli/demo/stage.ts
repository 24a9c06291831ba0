// How the demo looks: numbered steps, quiet facts under them.
import { type Output, table, width, wrap } from '../output.ts';

export type Stage = {
  title(name: string, what: string): void;
  step(text: string): void;
  say(text: string): void;
  fact(name: string, value: string): void;
  /** A line that somebody else printed. */
  quote(who: string, line: string): void;
  /** A command, as it is typed. */
  typed(command: string): void;
  /** A line of what a command said. */
  answer(line: string): void;
  good(text: string): void;
  bad(text: string): void;
  skipped(text: string): void;
  line(text: string): void;
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  end(text: string): void;
};

const INDENT = '   ';
const NAME_WIDTH = 9;
const BAR = '│ ';

export function openStage(output: Output): Stage {
  let step = 0;
  const rest = (text: string, first: string, indent: string): void => {
    const [head = '', ...more] = wrap(text, output.columns, indent);
    output.line(first + head.trimStart());
    for (const line of more) output.line(line);
  };
  return {
    title: (name, what) => {
      output.line();
      output.line(`${output.ink('bold', name)}  ${what}`);
    },
    step: text => {
      step += 1;
      output.line();
      const number = output.ink(['bold', 'cyan'], String(step).padEnd(INDENT.length));
      const [first = '', ...more] = wrap(text, output.columns, INDENT);
      output.line(number + output.ink('bold', first.trimStart()));
      for (const line of more) output.line(output.ink('bold', line));
    },
    say: text => {
      for (const line of wrap(text, output.columns, INDENT)) output.line(line);
    },
    fact: (name, value) =>
      rest(value, `${INDENT}${output.ink('dim', name.padEnd(NAME_WIDTH))}`, INDENT + ' '.repeat(NAME_WIDTH)),
    quote: (who, line) =>
      output.line(`${INDENT}${output.ink('magenta', who)} ${output.ink('dim', '│')} ${line}`),
    typed: command =>
      rest(output.ink('cyan', command), `${INDENT}${output.ink('dim', '$')} `, `${INDENT}    `),
    answer: line => {
      // A table's line keeps its gaps; a longer one is laid out anew, since a link is not to be cut.
      const room = output.columns - INDENT.length - BAR.length;
      const bar = INDENT + output.ink('dim', BAR);
      const lines = width(line) <= room ? [line] : wrap(line, room);
      for (const each of lines) output.line(bar + each);
    },
    good: text => output.line(`${INDENT}${output.ink('green', '✓')} ${text}`),
    bad: text => output.line(`${INDENT}${output.ink('red', '✗')} ${output.ink('bold', text)}`),
    skipped: text => output.line(`${INDENT}${output.ink('yellow', `- skipped: ${text}`)}`),
    line: text => output.line((INDENT + text).trimEnd()),
    table: (head, rows) => {
      for (const line of table(output, head, rows, output.columns - INDENT.length))
        output.line(INDENT + line);
    },
    end: text => {
      output.line();
      output.line(`${output.ink(['bold', 'green'], '✓')} ${output.ink('bold', text)}`);
      output.line();
    },
  };
}
