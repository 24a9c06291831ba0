// Programs as their frameworks' own pages show them, unmodified, in a world with the twins of language models: what each is
// answered, row by row, and whether the world has it so. With WRLD_FRAMEWORKS_WRITE=1 what was seen becomes
// test/frameworks/table.json, of which `npm run generate` makes docs/frameworks.md; without, what is said there is held
// against what was seen.
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import {
  API_NAMES,
  type Api,
  FRAMEWORKS,
  type FrameworksTable,
  type Saw,
} from '../../scripts/frameworks-page.ts';
import { command, openWorlds, type RunningUp, startUp, wrldWords } from '../kit/command-line.ts';
import { cannotContain } from '../kit/contained.ts';
import { lacksPackages, lacksPythonPackages, pythonOf } from '../kit/packages.ts';
import { CITY, HANDLERS } from './handlers.ts';

const HERE = import.meta.dirname;
const FILE = join(HERE, 'table.json');
/** Whole runs, and as many at once as a small machine has cores. */
const RUNS_AT_ONCE = 2;

/** What a program told, and what the world says of it, are JSON. */
// biome-ignore lint/suspicious/noExplicitAny: each row says what it expects of them
type Facts = any;

type Look = (path: string) => Promise<Facts>;

const NEEDED = { variable: 'WRLD_FRAMEWORKS_INSTALL', what: 'the frameworks' };
const REQUIREMENTS = join(HERE, 'python', 'requirements.txt');
const ENVIRONMENT = join(HERE, 'python', '.venv');
const [ofJavaScript, ofPython, open] = await Promise.all([
  lacksPackages(join(HERE, 'javascript'), NEEDED),
  lacksPythonPackages({ requirements: REQUIREMENTS, environment: ENVIRONMENT, ...NEEDED }),
  cannotContain(),
]);
const LACKING = { JavaScript: ofJavaScript, Python: ofPython };
const INTERPRETERS = { JavaScript: process.execPath, Python: pythonOf(ENVIRONMENT) };
const worlds = await openWorlds();
t.teardown(worlds.remove);

/** Some put before the prompt what the model should know of the machine. */
const echoes = (told: Facts, said: string): boolean =>
  typeof told === 'string' && told.startsWith('You said: ') && told.endsWith(said);

/** A list of calls shows the beginning of what was answered. */
const isCutOf = (shown: string | null, whole: string): boolean =>
  shown === whole || (shown?.endsWith('…') === true && whole.startsWith(shown.slice(0, -1)));

/** What each row is to tell, and what the world is to say: `calls` are those of this run alone. */
const ROWS: { readonly [row: string]: (told: Facts, tag: string, calls: readonly Facts[]) => boolean } = {
  plain: (told, tag, calls) =>
    echoes(told, `hello from ${tag}`) && calls.some(({ answered }) => isCutOf(answered, told)),
  stream: ({ text, pieces }, tag, calls) => {
    const streamed = calls.some(({ answered, stream }) => isCutOf(answered, text) && stream);
    return echoes(text, `in pieces from ${tag}`) && pieces > 1 && streamed;
  },
  tool: ({ text, cities }, _tag, calls) => {
    const asked = calls.find(({ handler }) => handler?.startsWith('look it up'));
    const ended = calls.find(({ handler }) => handler === 'say it');
    const round = /get_weather/.test(asked?.calls[0]) && /get_weather/.test(ended?.results[0]);
    return text === 'Take an umbrella.' && cities?.length === 1 && cities[0] === CITY && round;
  },
  structure: (told, tag, calls) =>
    typeof told.city === 'string' &&
    Number.isInteger(told.people) &&
    calls.some(({ asked }) => asked?.includes(`the facts from ${tag}`)),
  busy: (told, tag, calls) =>
    echoes(told, `busy from ${tag}`) &&
    calls.filter(({ asked }) => asked?.includes(`busy from ${tag}`)).length === 1,
  refused: (told, tag, calls) =>
    /Not that\./.test(told.threw) && !calls.some(({ asked }) => asked?.includes(`forbidden from ${tag}`)),
  memory: (told, _tag, calls) =>
    told === 'Your name is Ada.' && calls.some(({ handler, turns }) => handler === 'remembers' && turns),
  /** By each way that the framework has; the row before has one such answer as well. */
  kept: (told, tag, calls) => {
    const answer = 'Your name is Ada.';
    const turns = [
      `user: I am Ada from ${tag}`,
      `assistant: You said: I am Ada from ${tag}`,
      `user: what is my name from ${tag}`,
      `assistant: ${answer}`,
    ];
    const whole = JSON.stringify(turns);
    if (!Array.isArray(told) || told.length === 0) return false;
    const answers = calls.filter(({ answered }) => answered === answer).length;
    return answers === told.length + 1 && told.every(way => JSON.stringify(way) === whole);
  },
  embed: told => Array.isArray(told) && told.join() === '1536,1536',
};

t.test('the frameworks', { timeout: 600_000 }, async t => {
  const llm = { colocate: { scenarioPath: 'llm.json' } };
  const folder = await worlds.make('frameworks', {
    services: { openai: { twin: 'openai', ...llm }, anthropic: { twin: 'anthropic', ...llm } },
  });
  await writeFile(join(folder, 'llm.json'), JSON.stringify(HANDLERS));
  await using world = await startUp(folder, '--sandbox');
  const look = await lookAt(folder, world);
  const seen: { [framework: string]: { [api: string]: Saw } } = {};
  const only = process.env['WRLD_FRAMEWORKS_ONLY'];
  const runs = FRAMEWORKS.flatMap(({ name, language, file, apis }) => {
    if (only !== undefined && !file.includes(only)) return [];
    const lacking = LACKING[language];
    if (lacking !== null) {
      t.test(`${name}, ${language}`, { skip: lacking }, async () => {});
      return [];
    }
    const words = [INTERPRETERS[language], join(HERE, language.toLowerCase(), file)];
    return apis.map(api => ({ key: `${name}, ${language}`, api, words }));
  });
  const lines = Array.from({ length: RUNS_AT_ONCE }, async () => {
    for (let next = runs.shift(); next !== undefined; next = runs.shift()) {
      const { key, api, words } = next;
      const saw = await tell(folder, look, { key, api, words });
      (seen[key] ??= {})[api] = saw.rows;
      for (const line of saw.failed) t.comment(line);
    }
  });
  await Promise.all(lines);
  for (const { record } of (await look('refusals')).refusals) t.comment(`refused: ${record.target}`);
  const said = JSON.parse(readFileSync(FILE, 'utf8')) as FrameworksTable;
  if (process.env['WRLD_FRAMEWORKS_WRITE'] === '1') {
    const rows = { ...said.rows, ...seen };
    writeFileSync(FILE, `${JSON.stringify({ rows, versions: await versions() }, null, 2)}\n`);
    return;
  }
  for (const [key, apis] of Object.entries(seen))
    for (const [api, rows] of Object.entries(apis))
      t.strictSame(rows, said.rows[key]?.[api], `${key}: ${API_NAMES[api as Api]}`);
  t.strictSame(await versions(), said.versions, 'at the versions that the page names');
});

/** Runs a program through its rows. */
async function tell(
  folder: string,
  look: Look,
  { key, api, words }: { readonly key: string; readonly api: Api; readonly words: readonly string[] },
): Promise<{ readonly rows: Saw; readonly failed: readonly string[] }> {
  const tag = `${key} ${api}`.replaceAll(/\W+/g, '-');
  const keys = ['env', 'OPENAI_API_KEY=sk-framework', 'ANTHROPIC_API_KEY=sk-ant-framework'];
  const way = open === false ? '--contained' : '--open';
  const ended = await command(
    wrldWords('world', 'run', way, '--quiet', '--', ...keys, ...words, api, tag),
    folder,
  );
  let told: Facts;
  try {
    told = JSON.parse(ended.out.trimEnd().split('\n').at(-1) ?? '');
  } catch {
    throw new Error(`${tag} ended with ${ended.code}: ${ended.err.slice(-2000)} ${ended.out.slice(-500)}`);
  }
  const { calls } = await look('conversations?limit=100');
  const own: Facts[] = [];
  for (const call of calls) {
    const whole = await look(`conversations/${call.twin}/${call.position}`);
    if (JSON.stringify(whole).includes(tag)) own.push({ ...call, ...whole });
  }
  const rows: { [row: string]: boolean } = {};
  const failed: string[] = [];
  for (const [row, facts] of Object.entries(told)) {
    rows[row] = ROWS[row]!(facts, tag, own);
    if (!rows[row]) failed.push(`${tag}: ${row}: ${JSON.stringify(facts)}`);
  }
  return { rows, failed };
}

/** The second client: the world's own endpoints. */
async function lookAt(folder: string, { up }: RunningUp): Promise<Look> {
  const [token = ''] = (await readFile(join(folder, '.wrld', 'token'), 'utf8')).split('\n');
  const { origin, pathname } = new URL(up.worldUrl);
  return async path => {
    const answer = await fetch(`${origin}/-${pathname}/${path}`, { headers: { 'x-wrld-token': token } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
}

/** By package, as they are pinned. */
async function versions(): Promise<{ readonly [name: string]: string }> {
  const { dependencies } = JSON.parse(await readFile(join(HERE, 'javascript', 'package.json'), 'utf8'));
  const pinned = await readFile(REQUIREMENTS, 'utf8');
  const found: { [name: string]: string } = {};
  for (const { language, package: name } of FRAMEWORKS) {
    const line = new RegExp(`^${name}==(\\S+)`, 'm').exec(pinned);
    found[`${language}: ${name}`] = language === 'Python' ? (line?.[1] ?? '') : dependencies[name];
  }
  return found;
}
