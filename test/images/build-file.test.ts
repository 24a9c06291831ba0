// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as build files and compose files write them.
// [2.1] What build files declare, small file by small file, each stage compared whole.
import t from 'tap';
import { portRange, readBuildFile, type Stage, stageOf } from '../../images/build-file.ts';
import type { CopiedFiles, Make, RunStep } from '../../images/makes.ts';

const FILE = 'Dockerfile';
const at = (line: number) => ({ file: FILE, line });

const BARE: Omit<Stage, 'place' | 'base'> = {
  ...{ name: null, baseStage: null, env: new Map(), command: null, entrypoint: null, user: null },
  ...{ workingFolder: null, ports: [], volumes: [], makes: [], healthCheck: null },
};

type Row = {
  readonly says: string;
  readonly text: string;
  readonly target?: string;
  readonly args?: { readonly [name: string]: string };
  readonly stage: Partial<Stage>;
  readonly notes?: readonly (readonly [line: number, what: RegExp])[];
};

const exec = (line: number, ...words: string[]) => ({ words, shell: false, place: at(line) });
const shell = (line: number, ...words: string[]) => ({ words, shell: true, place: at(line) });
const env = (line: number, values: { readonly [name: string]: string }) =>
  new Map(Object.entries(values).map(([name, value]) => [name, { value, place: at(line) }]));

const copied = (copy: CopiedFiles): Make => ({ kind: 'copy', copy });
const ran = (step: Partial<RunStep> & Pick<RunStep, 'words' | 'text' | 'place'>): Make => ({
  kind: 'run',
  step: { env: new Map(), user: null, workingFolder: '/', mounts: [], ...step },
});

const ROWS: readonly Row[] = [
  { says: 'a base alone', text: 'FROM node:22', stage: { base: 'node:22' } },
  {
    says: 'a variable of the build in the base',
    text: 'ARG V=22\nFROM node:$V',
    stage: { base: 'node:22', place: at(2) },
  },
  {
    says: 'a variable of the build that is given',
    text: 'ARG V=22\nFROM node:${V}-slim',
    args: { V: '24' },
    stage: { base: 'node:24-slim', place: at(2) },
  },
  {
    says: 'the two forms of ENV',
    text: 'FROM a\nENV X=1 Y="two words"\nENV OLD some  value',
    stage: {
      env: new Map([...env(2, { X: '1', Y: 'two words' }), ...env(3, { OLD: 'some value' })]),
    },
  },
  {
    says: 'ENV sees what was before its own instruction',
    text: 'FROM a\nENV X=1\nENV X=2 Y=$X',
    stage: { env: env(3, { X: '2', Y: '1' }) },
  },
  {
    says: 'ARG in a stage, with the value of the one before FROM',
    text: 'ARG P=80\nFROM a\nARG P\nARG Q=$P\nEXPOSE $P $Q',
    stage: { place: at(2), ports: [{ port: 80, protocol: 'tcp', place: at(5) }] },
  },
  {
    says: 'EXPOSE of ranges and protocols, each once',
    text: 'FROM a\nEXPOSE 80/tcp 90-91 53/udp\nEXPOSE 80',
    stage: {
      ports: [
        { port: 80, protocol: 'tcp', place: at(2) },
        { port: 90, protocol: 'tcp', place: at(2) },
        { port: 91, protocol: 'tcp', place: at(2) },
        { port: 53, protocol: 'udp', place: at(2) },
      ],
    },
  },
  {
    says: 'EXPOSE of what is no port',
    text: 'FROM a\nEXPOSE http 0 70000 9-1 1-60000',
    stage: {},
    notes: [0, 1, 2, 3, 4].map(() => [2, /EXPOSE names no port/]),
  },
  {
    says: 'VOLUME in both forms, a relative one in the working folder',
    text: 'FROM a\nWORKDIR /app\nVOLUME ["/data", "cache"]\nVOLUME /data /logs/../var',
    stage: {
      workingFolder: { path: '/app', place: at(2) },
      volumes: [
        { path: '/data', place: at(3) },
        { path: '/app/cache', place: at(3) },
        { path: '/var', place: at(4) },
      ],
    },
  },
  {
    says: 'WORKDIR upon WORKDIR, and never above the root',
    text: 'FROM a\nWORKDIR app\nWORKDIR ../../../x y',
    stage: { workingFolder: { path: '/x y', place: at(3) } },
  },
  { says: 'USER', text: 'FROM a\nUSER node:node', stage: { user: { name: 'node:node', place: at(2) } } },
  {
    says: 'CMD as words and as a text',
    text: 'FROM a\nCMD echo $HOME',
    stage: { command: shell(2, '/bin/sh', '-c', 'echo $HOME') },
  },
  {
    says: 'CMD as a list',
    text: 'FROM a\nCMD [ "node", "a b.js" ]',
    stage: { command: exec(2, 'node', 'a b.js') },
  },
  {
    says: 'SHELL is what texts are for',
    text: 'FROM a\nSHELL ["/bin/bash", "-ec"]\nCMD echo x',
    stage: { command: shell(3, '/bin/bash', '-ec', 'echo x') },
  },
  {
    says: 'a list that is none is a text, and is named',
    text: "FROM a\nCMD ['node']",
    stage: { command: shell(2, '/bin/sh', '-c', "['node']") },
    notes: [[2, /list and is none/]],
  },
  {
    says: 'ENTRYPOINT with arguments',
    text: 'FROM a\nENTRYPOINT ["node"]\nCMD ["x.js"]',
    stage: { entrypoint: exec(2, 'node'), command: exec(3, 'x.js') },
  },
  {
    says: 'a stage has all of the stage under it, and an ENTRYPOINT takes its arguments away',
    text: 'FROM a AS Base\nENV X=1\nEXPOSE 80\nUSER u\nCMD ["x"]\nFROM base\nENTRYPOINT ["y"]',
    stage: {
      base: 'base',
      baseStage: 0,
      place: at(6),
      env: env(2, { X: '1' }),
      ports: [{ port: 80, protocol: 'tcp', place: at(3) }],
      user: { name: 'u', place: at(4) },
      entrypoint: exec(7, 'y'),
    },
  },
  {
    says: 'a named stage, by name and by number',
    text: 'FROM a AS one\nCMD ["1"]\nFROM b AS two\nCMD ["2"]',
    target: 'ONE',
    stage: { name: 'one', command: exec(2, '1') },
  },
  {
    says: 'files of the context and of a stage',
    text: 'FROM a AS b\nRUN make\nFROM c\nWORKDIR /app\nCOPY package*.json ./\nCOPY --from=b /out .\nADD ["a b", "/x/"]',
    stage: {
      base: 'c',
      place: at(3),
      workingFolder: { path: '/app', place: at(4) },
      makes: [
        copied({ from: null, sources: ['package*.json'], to: '/app/', place: at(5) }),
        copied({ from: { stage: 0 }, sources: ['/out'], to: '/app/', place: at(6) }),
        copied({ from: null, sources: ['a b'], to: '/x/', place: at(7) }),
      ],
    },
  },
  {
    says: 'files that are not here',
    text: 'FROM a\nCOPY --from=nginx:1 /etc/nginx /n\nADD https://x.example/f /f\nCOPY <<E /e\nx\nE\nRUN make',
    stage: {
      makes: [
        copied({ from: { image: 'nginx:1' }, sources: ['/etc/nginx'], to: '/n', place: at(2) }),
        ran({ words: ['/bin/sh', '-c', 'make'], text: 'make', place: at(7) }),
      ],
    },
    notes: [
      [2, /another image are not there/],
      [3, /what is fetched is not there/],
      [4, /here-document/],
    ],
  },
  {
    says: 'the last HEALTHCHECK, by the shell of its stage, and of the stage under it',
    text: 'FROM a AS one\nSHELL ["/bin/bash", "-c"]\nHEALTHCHECK CMD old\nHEALTHCHECK --interval=1s CMD x || y\nFROM one',
    stage: {
      ...{ base: 'one', baseStage: 0, place: at(5) },
      healthCheck: {
        command: shell(4, '/bin/bash', '-c', 'x || y'),
        ...{ interval: 1_000, timeout: 30_000, startPeriod: 0, retries: 3, place: at(4) },
      },
    },
  },
  {
    says: 'HEALTHCHECK NONE takes away what the stage under it has',
    text: 'FROM a AS one\nHEALTHCHECK CMD x\nFROM one\nHEALTHCHECK NONE',
    stage: { base: 'one', baseStage: 0, place: at(3) },
  },
  {
    says: 'what is not understood, by line',
    text: 'FROM a\nFROBNICATE x\nHEALTHCHECK x\nONBUILD RUN x\nLABEL a=b\nENV X\nENV Y="open',
    stage: {},
    notes: [
      [2, /no instruction is known as "FROBNICATE"/],
      [3, /HEALTHCHECK has neither CMD .* is not run/],
      [4, /ONBUILD/],
      [6, /ENV has no value for "X"/],
      [7, /not closed/],
    ],
  },
];

t.test('[2.1] what a build file declares', t => {
  for (const { says, text, target = null, args = {}, stage, notes = [] } of ROWS) {
    const build = readBuildFile(text, { file: FILE, args: new Map(Object.entries(args)) });
    t.strictSame(stageOf(build, target), { ...BARE, base: 'a', place: at(1), ...stage }, says);
    t.equal(build.notes.length, notes.length, `${says}: ${JSON.stringify(build.notes)}`);
    for (const [nth, [line, what]] of notes.entries())
      t.match(build.notes[nth], { file: FILE, line, what }, says);
  }
  t.end();
});

t.test('what is no build file is refused with its line', t => {
  for (const [text, why] of [
    ['', /^Dockerfile:1: no FROM/],
    ['RUN x\nFROM a', /^Dockerfile:1: RUN before the first FROM/],
    ['\u0000\u0001', /before the first FROM/],
    [`FROM a\nEXPOSE 1-250 300-500`, /^Dockerfile:2: more than 256 ports/],
    [
      `FROM a\nVOLUME ${Array.from({ length: 257 }, (_, n) => `/v${n}`).join(' ')}`,
      /^Dockerfile:2: more than 256 volumes/,
    ],
  ] as const)
    t.throws(() => readBuildFile(text, { file: FILE }), { message: why });
  t.end();
});

t.test('a variable that doubles itself ends at its bound', t => {
  const { notes } = readBuildFile(`FROM a\nENV A=xxxxxxxx\n${'ENV A=$A$A\n'.repeat(60)}`, { file: FILE });
  t.match(notes[0], { what: /longer than 32768 characters/ });
  t.end();
});

t.test('a megabyte of one line, or of many, is read in a moment', t => {
  for (const text of [
    `FROM a\nRUN ${'a '.repeat(500_000)}`,
    `FROM a\nENV A=1 ${'\\\n'.repeat(300_000)}`,
    `FROM a\nENV ${'A=$A '.repeat(100_000)}`,
    `FROM a\nCMD ${'['.repeat(500_000)}`,
    `FROM a\nRUN ${'<<A '.repeat(4_000)}\n${'A\n'.repeat(4_000)}`,
    `FROM a\nENV A=${'${A:-'.repeat(100_000)}`,
  ])
    t.doesNotThrow(() => readBuildFile(text, { file: FILE }));
  t.end();
});

t.test('ports and paths', t => {
  t.strictSame(portRange('80-82/udp'), { ports: [80, 81, 82], protocol: 'udp' });
  for (const no of ['', '0', '65536', 'a', '80/sctp', '82-80', '1-400', '80:80'])
    t.equal(portRange(no), null, no);
  t.end();
});
