// How arguments are read, what help says, how output is laid out: the parts of the command line that need no world.
import t from 'tap';
import { type Command, readArguments, readPort } from '../../cli/command.ts';
import { helpOf, overview } from '../../cli/help.ts';
import { openOutput, table, width, wrap } from '../../cli/output.ts';

const COMMAND: Command = {
  words: ['world', 'up'],
  summary: 'start it',
  usage: '[--sandbox] [--port <number>]',
  flags: {
    sandbox: { type: 'switch', does: 'reach the twins alone' },
    port: { type: 'value', value: '<number>', does: 'where it listens' },
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world up', 'starts it']],
  notes: ['More to say.'],
  run: async () => 0,
};
const RUN: Command = { ...COMMAND, words: ['world', 'run'], operandsMax: 0, takesCommand: true };

/** Lines that went to standard output and standard error. */
function terminal(env: { readonly [name: string]: string } = {}, isTTY = false, columns = 80) {
  const out: string[] = [];
  const err: string[] = [];
  const into = (lines: string[]) => ({ write: (text: string) => lines.push(text) > 0, isTTY, columns });
  const output = openOutput(into(out) as never, into(err) as never, env);
  return { output, out, err };
}

t.test('arguments that are understood', async t => {
  const read = readArguments(COMMAND, ['--sandbox', 'acme/shop', '--port', '40']);
  if (!read.ok) throw new Error(read.why);
  t.equal(read.help, false);
  t.strictSame([...read.given.switches], ['sandbox']);
  t.strictSame([...read.given.values], [['port', '40']]);
  t.strictSame(read.given.operands, ['acme/shop']);
  t.equal(read.given.rest, null);
  t.match(readArguments(COMMAND, ['--port=40']), { ok: true, given: { values: new Map([['port', '40']]) } });
  t.match(readArguments(COMMAND, ['-h']), { ok: true, help: true });
  t.match(readArguments(COMMAND, ['--help', 'too', 'many', 'words']), { ok: true, help: true });
});

t.test('what follows -- is the command, untouched', async t => {
  const read = readArguments(RUN, ['--sandbox', '--', 'node', '--port', '--', '-h']);
  if (!read.ok) throw new Error(read.why);
  t.strictSame(read.given.rest, ['node', '--port', '--', '-h']);
  t.equal(read.help, false);
  t.match(readArguments(RUN, []), { ok: true, given: { rest: null } });
});

const WRONG: readonly (readonly [args: readonly string[], why: RegExp])[] = [
  [['--prot', '1'], /unknown flag --prot; did you mean --port\?\naccepted: --help, --sandbox, --port/],
  [['-x'], /unknown flag -x\naccepted/],
  [['--no-sandbox'], /unknown flag --no-sandbox/],
  [['--sandbox=yes'], /--sandbox takes no value/],
  [['--port'], /--port needs a value: --port <number>/],
  [['--port', '--sandbox'], /--port needs a value/],
  [['--port='], /--port needs a value/],
  [['--port', '1', '--port', '2'], /--port is there twice/],
  [['a/b', 'c/d'], /unexpected "c\/d"$/],
  [['--', 'x'], /unexpected --/],
];

t.test('arguments that are not: each says what is accepted', async t => {
  for (const [args, why] of WRONG) {
    const read = readArguments(COMMAND, args);
    t.equal(read.ok, false, args.join(' '));
    if (!read.ok) t.match(read.why, why);
  }
  const read = readArguments(RUN, ['node', 'app.mjs']);
  t.match(read, { ok: false, why: /put the command after --: wrld world run -- node app\.mjs/ });
});

t.test('a port is a number of 16 bits', async t => {
  t.strictSame([undefined, '0', '65535', '65536', '-1', '1.5', '0x10', '', ' 1'].map(readPort), [
    0,
    0,
    65535,
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
});

t.test('help names every flag and example, in 80 columns', async t => {
  const { output } = terminal();
  const lines = helpOf(output, COMMAND);
  const text = lines.join('\n');
  for (const part of [
    '--sandbox',
    '--port <number>',
    '-h, --help',
    'More to say.',
    'wrld world up',
    'starts it',
  ])
    t.ok(text.includes(part), part);
  t.ok(Math.max(...lines.map(width)) <= 80);
  t.match(
    overview(output, [COMMAND, RUN], '1.2.3').join('\n'),
    /1\.2\.3[\s\S]*wrld world up[\s\S]*wrld world run/,
  );
});

t.test('colour is for terminals, and NO_COLOR is honoured', async t => {
  t.equal(terminal().output.ink('red', 'x'), 'x');
  t.equal(terminal({}, true).output.ink('red', 'x'), '\u001b[31mx\u001b[39m');
  t.equal(terminal({ NO_COLOR: '1' }, true).output.ink('red', 'x'), 'x');
  t.equal(terminal({ NO_COLOR: '1', FORCE_COLOR: '1' }, true).output.ink('red', 'x'), 'x');
  t.equal(terminal({ NO_COLOR: '' }, true).output.ink('red', 'x'), '\u001b[31mx\u001b[39m');
  t.equal(terminal({ FORCE_COLOR: '1' }).output.ink('red', 'x'), '\u001b[31mx\u001b[39m');
  t.equal(terminal({ TERM: 'dumb' }, true).output.ink('red', 'x'), 'x');
});

t.test('what went wrong goes to standard error', async t => {
  const { output, out, err } = terminal();
  output.line('a');
  output.line();
  output.json({ b: 1 });
  output.error('c');
  t.strictSame([out, err], [['a\n', '\n', '{"b":1}\n'], ['c\n']]);
});

t.test('a table lines up under colour, and its last column is cut to the line', async t => {
  const { output } = terminal({}, true, 24);
  const red = output.ink('red', 'ab');
  const rows = table(
    output,
    ['one', 'two'],
    [
      [red, 'short'],
      ['abcdef', 'a cell that is too long'],
    ],
  );
  t.strictSame(rows.slice(1), [`${red}      short`, 'abcdef  a cell that is …']);
  t.equal(width(rows[0]!), 'one     two'.length);
});

t.test('text is wrapped at words, under its indent', async t => {
  t.strictSame(wrap('one two three', 9, '  '), ['  one two', '  three']);
  t.strictSame(wrap('  ', 9), []);
  t.strictSame(wrap('unbreakable', 4), ['unbreakable']);
});
