// `npm run test:mutate`: samples small faults (mutants.ts), puts each into a copy of the tree, and runs the test that
// stands nearest to the file, and after it those that import the file too. A fault that none of them notices is listed: either
// a test is missing there, or the line makes no difference. With `--wide` every other test of the folder has seen it before. Bounded
// in time, the same sample of a folder for the same seed.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { chanceOf } from '../test/kit/chance.ts';
import { TESTED_ELSEWHERE } from '../test/tidy/tested-elsewhere.ts';
import { sourceFiles } from '../test/tidy/tree.ts';
import { type Mutant, mutantsOf } from './mutants.ts';

const HELP = `npm run test:mutate -- [options]

  --in <folders>    comma-separated; policy,certs,proxy,control/world by default
  --sample <n>      mutants of each folder, 40 by default
  --seed <n>        which ones; printed, and by the day when it is not given
  --minutes <n>     stops after so long with what it has, 30 by default
  --jobs <n>        at once; as many as there are cores by default
  --wide            what the nearest tests do not notice is shown to all tests of its folder
  --json <file>     writes what came of each there
  --help            this text
`;

/** Beside the time that the test takes by itself. */
const SLACK_MS = 10_000;
const SLOWER_TIMES_MAX = 4;
/** Tests that a fault is shown to. */
const TESTS_MAX = 4;

const { values } = parseArgs({
  options: {
    in: { type: 'string', default: 'policy,certs,proxy,control/world' },
    sample: { type: 'string', default: '40' },
    seed: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    wide: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

type Verdict = 'killed' | 'survived' | 'not run';
type Tried = {
  readonly mutant: Mutant;
  readonly folder: string;
  /** The nearest first. */
  readonly tests: readonly string[];
  readonly verdict: Verdict;
};

const root = join(import.meta.dirname, '..');
const folders = values.in.split(',').filter(Boolean);
const seed = Number(values.seed ?? Math.floor(Date.now() / 86_400_000));
const endsAt = performance.now() + Number(values.minutes) * 60_000;
const files = sourceFiles();
const testFiles = globSync('test/**/*.test.ts', { cwd: root })
  .sort()
  .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }));

console.log(`seed ${seed}`);
const waiting = folders.flatMap(folder => sampled(folder));
const tried: Tried[] = [];
const alone = new Map<string, Promise<number | null>>();
await Promise.all(Array.from({ length: Number(values.jobs) }, () => work()));
report();

/** One copy of the tree a worker: a fault is written into it, and taken back. */
async function work(): Promise<void> {
  const tree = mkdtempSync(join(tmpdir(), 'wrld-mutate-'));
  try {
    cpSync(root, tree, { recursive: true, filter: from => !/\/(node_modules|\.git)$/.test(from) });
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { mutant, folder, tests } = next;
      const verdict = performance.now() > endsAt ? 'not run' : await verdictOf(tree, mutant, tests);
      tried.push({ mutant, folder, tests, verdict });
      if (verdict !== 'survived') continue;
      const by = values.wide ? `all ${tests.length} tests` : tests.join(', ');
      console.log(`survived  ${mutant.file}:${mutant.line}  ${mutant.told}  (${by})`);
    }
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

async function verdictOf(tree: string, mutant: Mutant, tests: readonly string[]): Promise<Verdict> {
  let verdict: Verdict = 'not run';
  for (const test of tests) {
    if (!alone.has(test)) alone.set(test, timeOf(tree, test));
    const ms = await alone.get(test);
    if (ms == null) continue;
    verdict = await shown(tree, mutant, { test, ms });
    if (verdict === 'killed') break;
  }
  return verdict;
}

/** `ms`: how long the test takes without it. */
async function shown(
  tree: string,
  mutant: Mutant,
  { test, ms }: { readonly test: string; readonly ms: number },
): Promise<Verdict> {
  const place = join(tree, mutant.file);
  const source = readFileSync(place, 'utf8');
  writeFileSync(place, source.slice(0, mutant.start) + mutant.becomes + source.slice(mutant.end));
  try {
    return (await passes(tree, test, ms * SLOWER_TIMES_MAX + SLACK_MS)) ? 'survived' : 'killed';
  } finally {
    writeFileSync(place, source);
  }
}

/** How long a test takes on the sound tree; null when it does not pass there. Milliseconds. */
async function timeOf(tree: string, test: string): Promise<number | null> {
  const from = performance.now();
  return (await passes(tree, test, 300_000)) ? performance.now() - from : null;
}

function passes(tree: string, test: string, limitMs: number): Promise<boolean> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [test], { cwd: tree, stdio: 'ignore', detached: true });
    const limit = setTimeout(() => end('SIGKILL'), limitMs);
    // With what it started: a test whose fault hangs leaves nobody behind.
    const end = (signal: NodeJS.Signals): void => {
      try {
        process.kill(-child.pid!, signal);
      } catch {
        // It ended by itself.
      }
    };
    child.on('exit', code => {
      clearTimeout(limit);
      end('SIGKILL');
      resolve(code === 0);
    });
  });
}

/** From the seed anew: what is taken of a folder does not hang on which others are tried beside it. */
function sampled(folder: string): readonly Pick<Tried, 'mutant' | 'folder' | 'tests'>[] {
  const all = files
    .filter(file => file.startsWith(`${folder}/`))
    .flatMap(file => {
      const test = testOf(file);
      if (test === null) return [];
      const near = [test, ...importersOf(file).filter(each => each !== test)].slice(0, TESTS_MAX);
      const tests = values.wide ? [...new Set([...near, ...testsOf(folder, file)])] : near;
      return mutantsOf(file, readFileSync(join(root, file), 'utf8')).map(mutant => ({
        mutant,
        folder,
        tests,
      }));
    });
  const chance = chanceOf(seed);
  return Array.from(
    { length: Math.min(Number(values.sample), all.length) },
    () => all.splice(chance.below(all.length), 1)[0]!,
  );
}

/** The test of the same path, or the one that is said to hold the file; null where the compiler is its test. */
function testOf(file: string): string | null {
  const own = join('test', file.replace(/\.[a-z]+$/, '.test.ts'));
  if (existsSync(join(root, own))) return own;
  const stated = TESTED_ELSEWHERE.find(({ files }) =>
    files.some(prefix => file === prefix || (prefix.endsWith('/') && file.startsWith(prefix))),
  );
  return stated?.by ?? null;
}

/** Tests that import it themselves, those of its own folder first. */
function importersOf(file: string): readonly string[] {
  const near = dirname(join('test', file));
  return testFiles
    .filter(({ text }) => text.includes(`/${file}'`))
    .map(({ path }) => path)
    .sort((a, b) => Number(dirname(b) === near) - Number(dirname(a) === near));
}

/** All tests of a folder, those whose path has most in common with the file's first. */
function testsOf(folder: string, file: string): readonly string[] {
  const parts = join('test', file).split('/');
  const shared = (path: string): number => {
    const of = path.split('/');
    const apart = parts.findIndex((part, at) => part !== of[at]);
    return apart < 0 ? parts.length : apart;
  };
  return testFiles
    .map(({ path }) => path)
    .filter(path => path.startsWith(`test/${folder}/`))
    .sort((a, b) => shared(b) - shared(a));
}

function report(): void {
  console.log('');
  for (const folder of folders) {
    const of = tried.filter(each => each.folder === folder);
    const count = (verdict: Verdict): number => of.filter(each => each.verdict === verdict).length;
    const ran = count('killed') + count('survived');
    const score = ran === 0 ? '–' : `${Math.round((100 * count('killed')) / ran)} %`;
    const left = count('not run') === 0 ? '' : `, ${count('not run')} not run`;
    console.log(`${folder.padEnd(16)} ${score.padStart(6)}  ${count('killed')} of ${ran} noticed${left}`);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ seed, tried }, null, 2)}\n`);
}
