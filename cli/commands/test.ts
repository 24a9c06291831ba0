// `wrld world test`: a world for the test suite of another language, whose client starts this, tells it what the world is
// made of, and has it end by closing its input. For JavaScript there is `wrld/test`.
import { createInterface } from 'node:readline';
import type { Grants } from '../../authoring/test/room.ts';
import { parseJson } from '../../policy/json-text.ts';
import type { Command } from '../command.ts';

/** What comes on the first line of the input. */
type Asked = {
  readonly twins?: readonly string[] | { readonly [service: string]: string };
  readonly handlers?: { readonly [service: string]: object };
  readonly grants?: Grants | null;
  readonly clock?: string;
  readonly java?: boolean;
};

export const worldTest: Command = {
  words: ['world', 'test'],
  summary: 'a world for a test suite, in the hands of the program that starts this',
  usage: '',
  flags: {},
  operandsMax: 0,
  takesCommand: false,
  examples: [
    [
      `echo '{ "twins": ["stripe"] }' | wrld world test`,
      'a line of JSON with the world’s url, token and env; gone when the input ends',
    ],
  ],
  notes: [
    'Reads one line of JSON, { twins, handlers, grants, clock }, and answers with one: { name, url, token, proxyUrl, caFile, env }, or { error }. The world is in a folder of its own, and ends with the input. PUT …/savepoint keeps how it is; POST …/reset { "to": { "savepoint": true } } comes back to it in milliseconds.',
    'Clients: wrld/test (JavaScript), the Python package wrld with its plugin for pytest. See docs/testing.md.',
  ],
  run: async (_given, { output }) => {
    const lines = createInterface({ input: process.stdin });
    const ended = new Promise<void>(resolve => lines.once('close', resolve));
    const first = await Promise.race([new Promise<string>(resolve => lines.once('line', resolve)), ended]);
    if (first === undefined) {
      output.error('wrld world test: the input has no line that says what the world is made of');
      return 2;
    }
    const { openWorldIn } = await import('../../authoring/test/open-world.ts');
    const { openRoom } = await import('../../authoring/test/room.ts');
    const no = (why: string): number => {
      output.json({ error: why });
      return 2;
    };
    const read = parseJson(first);
    if (!read.ok) return no(`the first line is no JSON: ${read.fault}`);
    if (typeof read.value !== 'object' || read.value === null)
      return no('the first line is no object: { "twins": ["stripe"] }');
    const { twins = [], grants, ...others } = read.value as Asked;
    try {
      await using world = await openWorldIn(openRoom, { twins, ...others, ...(grants && { grants }) });
      const { name, url, token, proxyUrl, caFile, env } = world;
      output.json({ name, url, token, proxyUrl, caFile, env });
      await ended;
      return 0;
    } catch (error) {
      return no((error as Error).message);
    }
  },
};
