// House rules as tests: which way imports point, that neutral code stays neutral, that every source file has
// its test, that every rule of 7.2 has its row.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import t from 'tap';
import { root, sourceFiles } from './tree.ts';

/** What each part may import of ours, and why nothing else. */
const MAY_IMPORT: { readonly [part: string]: readonly string[] } = {
  // Pure: the proxy, control and every host judge by the same values.
  policy: [],
  // Keys and leaves know nothing of worlds.
  certs: [],
  // What every process of ours has, whatever it does: its log, its descriptors.
  process: [],
  twins: ['policy'],
  'control/ports': [],
  'control/world': ['control/ports', 'twins/kit', 'policy'],
  'control/http': ['control/world', 'control/ports', 'twins/kit', 'policy'],
  // A host's own endpoints, in the manner of a world's.
  'control/hosting': ['control/http', 'control/world', 'control/ports', 'twins/kit', 'policy'],
  // The proxy meets control only in policy/push.ts.
  proxy: ['policy', 'certs', 'process'],
  // The engine for what users write, the same on every host.
  'control/quickjs': ['control/ports'],
  'control/node': [
    'control/hosting',
    'control/http',
    'control/world',
    'control/quickjs',
    'control/ports',
    'twins',
    'policy',
    'certs',
    'process',
  ],
  // The same ports on another platform.
  edge: [
    'control/hosting',
    'control/http',
    'control/world',
    'control/quickjs',
    'control/ports',
    'twins',
    'policy',
  ],
  // What happens between a program and the proxy, in namespaces of its own; it reads a TLS hello as the proxy does.
  contained: ['policy', 'process', 'proxy/core'],
  // What images declare, and how they run in namespaces of their own.
  images: ['policy', 'process', 'contained'],
  cli: ['contained', 'images', 'control', 'proxy', 'policy', 'certs', 'process', 'twins', 'authoring/test'],
  // The kit of the twins that ship, and worlds to try a twin of one's own in.
  authoring: [
    'twins/kit',
    'control',
    'proxy',
    'policy',
    'cli/world-environment.ts',
    'cli/environment.ts',
    'cli/world-client.ts',
  ],
  // A browser gets these files as they are.
  'console/world': ['console/shared'],
  'console/host': ['console/shared'],
  'console/shared': [],
  // Runs in the user's own program, in whatever Node that has: nothing of ours is there besides, and no package.
  attach: [],
};
/** What each room of the world may import of the others, types included: an arrow points downwards only. */
const ROOMS: { readonly [room: string]: readonly string[] } = {
  // What lies in the store, and when it lasts.
  store: [],
  // What happened and what is due, each by its instant.
  log: ['store'],
  // What is said of a twin, and whether a module is one.
  twins: ['log', 'config'],
  // What makes things happen: calls, events, webhooks, the clock.
  work: ['store', 'log', 'twins'],
  // What was, read in pages; a cut waits for what is due.
  past: ['store', 'log', 'work', 'config'],
  // Apart from all of that: who may ask, what a world is declared to be, and what was asked.
  access: ['store'],
  config: [],
  browsers: ['config', 'store'],
  requests: ['store', 'log'],
  // The real vendors: credentials, the root behind a twin, what is asked of it and what comes of that.
  seals: ['store', 'config', 'access'],
  roots: ['store', 'log', 'work', 'twins', 'config', 'access', 'seals', 'requests'],
  // What an app and a real vendor say to each other, kept for its twin to say again.
  recordings: ['requests', 'roots', 'work'],
  // What was done here, to be read, checked, approved and done elsewhere: at the vendors, in another world.
  changesets: ['store', 'log', 'work', 'past', 'roots'],
  checks: ['store', 'log', 'past', 'changesets'],
  origin: ['store', 'log', 'work', 'past', 'access', 'seals', 'roots', 'changesets'],
  // All of it as one text, which another host takes in.
  archive: ['store', 'past', 'config', 'seals'],
  // What was done, for those who review it.
  report: ['store', 'log', 'work', 'requests', 'changesets'],
  // The same in the twins' own words, for whoever looks.
  story: ['store', 'log', 'work', 'past', 'requests'],
};
const NEUTRAL = [
  'policy',
  'control/ports',
  'control/quickjs',
  'control/world',
  'control/http',
  'control/hosting',
  'twins',
];

const within = (file: string, part: string): boolean => file === part || file.startsWith(`${part}/`);
const partOf = (file: string): string | undefined =>
  Object.keys(MAY_IMPORT)
    .filter(part => within(file, part))
    .sort((a, b) => b.length - a.length)[0];

/** Module specifiers of static and dynamic imports and re-exports. */
function importsOf(file: string): { readonly ours: readonly string[]; readonly packages: readonly string[] } {
  const text = readFileSync(join(root, file), 'utf8');
  const ours: string[] = [];
  const packages: string[] = [];
  for (const match of text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g,
  )) {
    const specifier = (match[1] ?? match[2] ?? match[3])!;
    if (specifier.startsWith('.')) ours.push(relative(root, normalize(join(root, dirname(file), specifier))));
    else packages.push(specifier);
  }
  return { ours, packages };
}

/** What a CommonJS module requires, written out or not. */
function requiresOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/\brequire\(\s*([^)]*?)\s*\)/g)].map(match => match[1]!.replaceAll("'", ''));
}

t.test('imports point one way', t => {
  const wrong: string[] = [];
  for (const file of sourceFiles()) {
    const part = partOf(file);
    if (part === undefined) continue;
    for (const target of importsOf(file).ours) {
      if (within(target, part) || MAY_IMPORT[part]!.some(allowed => within(target, allowed))) continue;
      wrong.push(
        `${file} imports ${target}; ${part} may import ${MAY_IMPORT[part]!.join(', ') || 'nothing of ours'}`,
      );
    }
  }
  t.strictSame(wrong, []);
  t.end();
});

t.test('the rooms of the world are built on each other, one way', t => {
  const world = 'control/world';
  const wrong: string[] = [];
  for (const file of sourceFiles().filter(each => within(each, world))) {
    const [room = '', ...inside] = file.slice(world.length + 1).split('/');
    // Those at the top put the rooms together.
    if (inside.length === 0) continue;
    const allowed = ROOMS[room];
    if (allowed === undefined) wrong.push(`${file}: no room is called ${room}`);
    for (const target of importsOf(file).ours.filter(each => within(each, world))) {
      const other = target.slice(world.length + 1).split('/')[0]!;
      if (other === room || other === 'limits.ts' || allowed?.includes(other)) continue;
      wrong.push(`${file} imports ${target}; ${room} may import ${allowed?.join(', ') || 'no other room'}`);
    }
  }
  t.strictSame(wrong, []);
  t.end();
});

t.test('neutral code reaches no platform, however many imports away', t => {
  const wrong: string[] = [];
  for (const start of sourceFiles().filter(file => NEUTRAL.some(part => within(file, part)))) {
    const seen = new Set<string>([start]);
    const queue = [[start]];
    for (let trail = queue.shift(); trail !== undefined; trail = queue.shift()) {
      const { ours, packages } = importsOf(trail.at(-1)!);
      for (const name of packages)
        if (/^(node:|cloudflare:)/.test(name)) wrong.push(`${trail.join(' → ')} → ${name}`);
      for (const next of ours)
        if (!seen.has(next) && existsSync(join(root, next))) {
          seen.add(next);
          queue.push([...trail, next]);
        }
    }
  }
  t.strictSame(wrong, []);
  t.end();
});

t.test('what runs in a browser or in a user’s program brings nothing along', t => {
  const wrong: string[] = [];
  for (const file of sourceFiles()) {
    if (within(file, 'console')) {
      for (const name of importsOf(file).packages) wrong.push(`${file} imports ${name}`);
    }
    if (!within(file, 'attach')) continue;
    for (const name of [...importsOf(file).packages, ...requiresOf(file)])
      if (!/^(node:|\.\/[^/]+\.cjs$)/.test(name)) wrong.push(`${file} requires ${name}`);
  }
  t.strictSame(wrong, []);
  t.end();
});

t.test('only policy makes a permit: whoever dials was let through by decide', t => {
  t.strictSame(
    sourceFiles().filter(
      file => !within(file, 'policy') && importsOf(file).ours.includes('policy/permit.ts'),
    ),
    [],
  );
  t.end();
});

t.test('every import that is ours names a file that exists', t => {
  const missing = sourceFiles().flatMap(file =>
    importsOf(file)
      .ours.filter(target => !existsSync(join(root, target)))
      .map(target => `${file} → ${target}`),
  );
  t.strictSame(missing, []);
  t.end();
});

t.test('the core speaks the SQL that every host takes', t => {
  // A Durable Object refuses these; what needs one of them is behind control/ports/sql.ts.
  const refused = /\b(?:PRAGMA|ATTACH|DETACH|SAVEPOINT|ROLLBACK|VACUUM|BEGIN(?: IMMEDIATE)?|COMMIT)\b/;
  const wrong = sourceFiles()
    .filter(file => NEUTRAL.some(part => within(file, part)))
    .flatMap(file => {
      const code = readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
      const found = refused.exec(code.replaceAll(/-----BEGIN [A-Z ]+-----/g, ''));
      return found === null ? [] : [`${file}: ${found[0]}`];
    });
  t.strictSame(wrong, []);
  t.end();
});

t.test('what starts with every command loads no second HTTP client: `process/http.ts` has node:http', t => {
  const importing = sourceFiles()
    .filter(file => ['control', 'proxy', 'cli', 'process'].some(part => within(file, part)))
    .filter(file => /^import (?!type )[^;]*from 'node:http';/m.test(readFileSync(join(root, file), 'utf8')));
  t.strictSame(importing, []);
  t.end();
});
