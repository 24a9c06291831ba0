// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as build files and compose files write them.
// [2.1] What compose files say of their services, small file by small file.
import t from 'tap';
import { readProject } from '../../images/compose-project.ts';
import type { Service } from '../../images/service.ts';
import { imageFiles } from '../kit/image-files.ts';

const at = (line: number, file = 'compose.yaml') => ({ file, line });

const BARE: Omit<Service, 'place'> = {
  ...{ name: 'a', profiles: [], build: null, image: null, command: null, entrypoint: null, env: new Map() },
  ...{
    envFiles: [],
    dependsOn: new Map(),
    dependsOnPlace: null,
    ports: [],
    exposes: [],
    networks: new Map(),
  },
  ...{ networksPlace: null, networkMode: null, mounts: [], mountsPlace: null, extraHosts: new Map() },
  ...{ user: null, workingFolder: null, memoryMax: null, processesMax: null, healthCheck: null },
  ...{ egress: null, notes: [] },
};

type Row = {
  readonly says: string;
  /** Of the service `a`, whose name is on line 2, each two levels in. */
  readonly keys: string;
  readonly after?: string;
  readonly env?: { readonly [name: string]: string };
  readonly files?: { readonly [name: string]: string };
  readonly service: Partial<Service> | RegExp;
};

const env = (line: number, value: string | null, written = true) => ({ value, written, place: at(line) });
const words = (line: number, ...all: string[]) => ({ words: all, shell: false, place: at(line) });
const needs = (
  line: number,
  condition: 'service_started' | 'service_healthy' = 'service_started',
  required = true,
) => ({
  condition,
  required,
  place: at(line),
});
const port = (line: number, target: number, published: number | null = null, more: object = {}) => ({
  ...{ address: null, published, target, protocol: 'tcp' as const, place: at(line), ...more },
});
const mount = (
  line: number,
  kind: 'bind' | 'volume' | 'tmpfs',
  source: string | null,
  target: string,
  readOnly = false,
) => ({
  ...{ kind, source, target, readOnly, place: at(line) },
});

const ROWS: readonly Row[] = [
  { says: 'an image', keys: 'image: nginx', service: { image: { name: 'nginx', place: at(3) } } },
  {
    says: 'build in short',
    keys: 'build: ./api',
    service: {
      build: { context: '/w/api', file: null, inline: null, target: null, args: new Map(), place: at(3) },
    },
  },
  {
    says: 'build in long, its arguments as a list, one of the environment',
    keys: 'build: { context: api, dockerfile: ../D, target: dev, args: [X=1, Y, Z] }',
    env: { Y: 'y' },
    service: {
      build: {
        context: '/w/api',
        file: '/w/D',
        inline: null,
        target: 'dev',
        args: new Map([
          ['X', '1'],
          ['Y', 'y'],
          ['Z', null],
        ]),
        place: at(3),
      },
    },
  },
  {
    says: 'a build that is elsewhere',
    keys: 'build: https://x.example/y.git',
    service: /^compose.yaml:3: build.context is elsewhere/,
  },
  {
    says: 'a command as a text, split as a shell would, and as a list',
    keys: "command: node 'a b' $$HOME\nentrypoint: [tini, '--']",
    service: { command: words(3, 'node', 'a b', '$HOME'), entrypoint: words(4, 'tini', '--') },
  },
  { says: 'no command at all', keys: 'command: []', service: { command: words(3) } },
  {
    says: 'the environment as a mapping: written, of a variable, of the machine, null',
    keys: 'environment:\n  A: 1\n  B: ${B:-b}\n  C:\n  D: "true"',
    env: { C: 'c' },
    service: {
      env: new Map([
        ['A', env(4, '1')],
        ['B', env(5, 'b', false)],
        ['C', env(6, 'c', false)],
        ['D', env(7, 'true')],
      ]),
    },
  },
  {
    says: 'the environment as a list',
    keys: 'environment:\n  - A=1=2\n  - B\n  - C=$C',
    env: { C: 'c' },
    service: {
      env: new Map([
        ['A', env(4, '1=2')],
        ['B', env(5, null, false)],
        ['C', env(6, 'c', false)],
      ]),
    },
  },
  {
    says: 'a variable of .env, after the environment',
    keys: 'image: $A-$B-$C',
    files: { '.env': 'A=file\nB=file\n' },
    env: { A: 'own' },
    service: { image: { name: 'own-file-', place: at(3) } },
  },
  {
    says: 'a variable that is required',
    keys: 'image: ${A:?name one}',
    service: /^compose.yaml:3: A is not set, and is required: name one/,
  },
  {
    says: 'env_file in its forms',
    keys: 'env_file:\n  - one.env\n  - { path: ./two.env, required: false, format: raw }',
    service: {
      envFiles: [
        { path: '/w/one.env', required: true, raw: false, place: at(4) },
        { path: '/w/two.env', required: false, raw: true, place: at(5) },
      ],
    },
  },
  {
    says: 'depends_on as a list',
    keys: 'depends_on: [b, db]',
    after: '  b: { image: x }',
    service: {
      dependsOn: new Map([
        ['b', needs(3)],
        ['db', needs(3)],
      ]),
      dependsOnPlace: at(3),
    },
  },
  {
    says: 'depends_on as a mapping, and links',
    keys: 'links: ["c:d"]\ndepends_on:\n  b:\n    condition: service_healthy\n    required: false',
    service: {
      dependsOn: new Map([
        ['c', needs(3)],
        ['b', needs(5, 'service_healthy', false)],
      ]),
      dependsOnPlace: at(4),
    },
  },
  {
    says: 'a condition that nobody knows',
    keys: 'depends_on: { b: { condition: ready } }',
    service: /:3: depends_on.b.condition/,
  },
  {
    says: 'depends_on in a circle',
    keys: 'depends_on: [b]',
    after: '  b: { image: x, depends_on: [c] }\n  c: { image: x, depends_on: [a] }',
    service: /^compose.yaml:5: depends_on goes round in a circle: a → b → c → a/,
  },
  {
    says: 'ports in short and in long',
    keys: 'ports:\n  - 3000\n  - "8080:80"\n  - 127.0.0.1:53:53/udp\n  - "[::1]:90-91:80-81"\n  - { target: 443, published: "8443", host_ip: 0.0.0.0 }\n  - "127.0.0.1::70"',
    service: {
      ports: [
        port(4, 3000),
        port(5, 80, 8080),
        port(6, 53, 53, { address: '127.0.0.1', protocol: 'udp' }),
        port(7, 80, 90, { address: '::1' }),
        port(7, 81, 91, { address: '::1' }),
        port(8, 443, 8443, { address: '0.0.0.0' }),
        port(9, 70, null, { address: '127.0.0.1' }),
      ],
    },
  },
  { says: 'ports that are none', keys: 'ports: ["http:80"]', service: /:3: ports names no port: "http:80"/ },
  { says: 'ranges of different lengths', keys: 'ports: ["80-81:90"]', service: /:3: ports names no port/ },
  {
    says: 'expose, networks, network_mode',
    keys: 'expose: ["80-81", 90/udp]\nnetworks: [in]\nnetwork_mode: host',
    service: {
      exposes: [
        { port: 80, protocol: 'tcp', place: at(3) },
        { port: 81, protocol: 'tcp', place: at(3) },
        { port: 90, protocol: 'udp', place: at(3) },
      ],
      networks: new Map([['in', at(4)]]),
      networksPlace: at(4),
      networkMode: { mode: 'host', place: at(5) },
    },
  },
  {
    says: 'volumes in short and in long, and tmpfs',
    keys: 'volumes:\n  - ./d:/d:ro\n  - /abs:/abs\n  - ~/h:/h\n  - name:/n\n  - /anonymous\n  - { type: bind, source: ../up, target: /up, read_only: true }\n  - { type: tmpfs, target: /t }\ntmpfs: /run:size=1m',
    env: { HOME: '/home/u' },
    service: {
      mounts: [
        mount(4, 'bind', '/w/d', '/d', true),
        mount(5, 'bind', '/abs', '/abs'),
        mount(6, 'bind', '/home/u/h', '/h'),
        mount(7, 'volume', 'name', '/n'),
        mount(8, 'volume', null, '/anonymous'),
        mount(9, 'bind', '/up', '/up', true),
        mount(10, 'tmpfs', null, '/t'),
        mount(11, 'tmpfs', null, '/run'),
      ],
      mountsPlace: at(3),
    },
  },
  { says: 'a mount that is none', keys: 'volumes: ["a:b:c:d"]', service: /:3: volumes names no mount/ },
  {
    says: 'a mount of a kind that nobody knows',
    keys: 'volumes: [{ type: cluster, target: /x }]',
    service: /:3: volumes.type "cluster"/,
  },
  {
    says: 'extra_hosts as a list and as a mapping',
    keys: 'extra_hosts: ["one=10.0.0.1", "two:::1"]',
    service: {
      extraHosts: new Map([
        ['one', { address: '10.0.0.1', place: at(3) }],
        ['two', { address: '::1', place: at(3) }],
      ]),
    },
  },
  {
    says: 'user, folder, limits, profiles, and the hosts that it needs',
    keys: 'user: "1000:1000"\nworking_dir: /srv/../app\nmem_limit: 512m\npids_limit: 50\nprofiles: [dev]\nx-wrld: { egress: [api.example.com] }',
    service: {
      user: { name: '1000:1000', place: at(3) },
      workingFolder: { path: '/app', place: at(4) },
      memoryMax: 512 * 1024 * 1024,
      processesMax: 50,
      profiles: ['dev'],
      egress: { hosts: ['api.example.com'], place: at(8) },
    },
  },
  { says: 'a size that is none', keys: 'mem_limit: much', service: /:3: mem_limit takes a size/ },
  {
    says: 'extends in the same file, without what it depends on',
    keys: 'extends: base\nenvironment: { A: 2 }',
    after: '  base:\n    image: x\n    depends_on: [db]\n    environment: [A=1, B=1]',
    service: {
      image: { name: 'x', place: at(6) },
      env: new Map([
        ['A', env(4, '2')],
        ['B', { value: '1', written: true, place: at(8) }],
      ]),
    },
  },
  {
    says: 'extends of another file, whose paths begin there',
    keys: 'extends: { file: sub/base.yaml, service: b }',
    files: { 'sub/base.yaml': 'services:\n  b:\n    build: .\n    volumes: ["./d:/d"]' },
    service: {
      build: {
        ...{ context: '/w/sub', file: null, inline: null, target: null, args: new Map() },
        place: at(3, 'sub/base.yaml'),
      },
      mounts: [{ ...mount(4, 'bind', '/w/sub/d', '/d'), place: at(4, 'sub/base.yaml') }],
      mountsPlace: at(4, 'sub/base.yaml'),
    },
  },
  {
    says: 'what extends itself',
    keys: 'extends: b',
    after: '  b: { extends: a }',
    service: /^compose.yaml:4: it extends itself/,
  },
  {
    says: 'what extends nothing that is there',
    keys: 'extends: { file: no.yaml, service: b }',
    service: /^no.yaml:1: it is not there/,
  },
  {
    says: 'an anchor, and a merge key that gives way',
    keys: '<<: &x { image: one, user: u }\nimage: two',
    service: { image: { name: 'two', place: at(4) }, user: { name: 'u', place: at(3) } },
  },
  {
    says: 'what is not understood, and what means nothing here',
    keys: 'frobnicate: 1\nrestart: always\nsecrets: [x]\nconstructor: 1\nx-own: 1',
    service: {
      notes: [
        { ...at(3), what: 'frobnicate: it is not understood, and nothing is done for it' },
        {
          ...at(5),
          what: 'secrets: its files are not there; mount them',
        },
        { ...at(6), what: 'constructor: it is not understood, and nothing is done for it' },
      ],
    },
  },
  {
    says: 'a text where names belong',
    keys: 'environment: x',
    service: /:3: environment takes names with values/,
  },
  { says: 'a key that is there twice', keys: 'image: a\nimage: b', service: /:4: "image" is there twice/ },
];

const indent = (text: string): string => text.replace(/^/gm, '    ');

t.test('[2.1] what a service says', t => {
  for (const { says, keys, after = '', env = {}, files = {}, service } of ROWS) {
    const text = `services:\n  a:\n${indent(keys)}\n${after}\n`;
    const read = () =>
      readProject({ files: ['/w/compose.yaml'], read: imageFiles({ 'compose.yaml': text, ...files }), env });
    if (service instanceof RegExp) t.throws(read, { message: service }, says);
    else t.strictSame(read().services.get('a'), { ...BARE, place: at(2), ...service }, says);
  }
  t.end();
});

t.test('[2.1] several files are read as one', t => {
  const read = imageFiles({
    'compose.yaml':
      'services:\n  a:\n    image: one\n    command: [x, y]\n    ports: ["80", "81"]\n    environment: [A=1, B=1]\n    volumes: ["./x:/x", "./y:/y"]\n    networks: [n]\n    depends_on: [b]\n    user: u\n    expose: ["1"]\n  b: { image: b }',
    'dev/more.yaml':
      'services:\n  a:\n    image: two\n    command: [z]\n    ports: ["81", "82"]\n    environment: { B: 2 }\n    volumes: ["./z:/x"]\n    depends_on: { c: { condition: service_healthy } }\n    user: !reset null\n    expose: !override ["2"]\n  c: { image: c }\nnetworks: { n: { internal: true } }',
  });
  const { services, files, internalNetworks } = readProject({
    files: ['/w/compose.yaml', '/w/dev/more.yaml'],
    read,
    env: {},
  });
  const a = services.get('a')!;
  t.strictSame([...services.keys()], ['a', 'b', 'c']);
  t.strictSame(files, ['compose.yaml', 'dev/more.yaml']);
  t.equal(a.image?.name, 'two');
  t.strictSame(a.command?.words, ['z']);
  t.strictSame(
    a.ports.map(({ target }) => target),
    [80, 81, 82],
  );
  t.strictSame(
    [...a.env].map(([name, { value }]) => `${name}=${value}`),
    ['A=1', 'B=2'],
  );
  // Paths of all of them begin where the first one is.
  t.strictSame(
    a.mounts.map(({ source, target }) => `${source}:${target}`),
    ['/w/y:/y', '/w/z:/x'],
  );
  t.strictSame([...a.dependsOn.keys()], ['b', 'c']);
  t.equal(a.user, null);
  t.strictSame(
    a.exposes.map(({ port: each }) => each),
    [2],
  );
  t.strictSame([...internalNetworks], ['n']);
  t.end();
});

t.test('what is no compose file, or too much of one', t => {
  const project = (text: string, more: { readonly [name: string]: string } = {}) =>
    readProject({ files: ['/w/compose.yaml'], read: imageFiles({ 'compose.yaml': text, ...more }), env: {} });
  for (const [text, why] of [
    ['', /^compose.yaml:1: no compose file/],
    ['a: 1', /no services/],
    ['services: [a]', /:1: no services/],
    ['services: { a: 1 }', /:1: services.a takes keys with values/],
    [
      `services:\n${Array.from({ length: 201 }, (_, n) => `  s${n}: { image: x }`).join('\n')}`,
      /more than 200 services/,
    ],
    [`services:\n  a: { image: ${'x'.repeat(1024 * 1024)} }`, /longer than 1048576 bytes/],
  ] as const)
    t.throws(() => project(text), { message: why });
  t.throws(() => project('services: { a: { image: x } }', { '.env': 'x'.repeat(300_000) }), {
    message: /^.env:1: it is longer/,
  });
  const chain = Array.from({ length: 20 }, (_, n) => `  s${n}: { extends: s${n + 1} }`).join('\n');
  t.throws(() => project(`services:\n${chain}\n  s20: { image: x }`), {
    message: /extend one another more than 16 times/,
  });
  t.match(project('include: [x.yaml]\nservices: { a: { image: $NO } }').notes, [
    { line: 2, what: 'NO is not set; it is empty' },
    { line: 1, what: /^include: it is not understood/ },
  ]);
  t.end();
});
