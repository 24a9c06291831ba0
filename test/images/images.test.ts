// [2.1] What images declare, compared whole: files and lines and all.
import t from 'tap';
import { imagesDocument } from '../../images/declaration-text.ts';
import { wordsOf } from '../../images/declared-image.ts';
import { readImages } from '../../images/images.ts';
import { imageFiles } from '../kit/image-files.ts';

type Texts = { readonly [name: string]: string };

const images = (
  texts: Texts,
  options: { path?: string; target?: string; more?: string[]; env?: Texts } = {},
) =>
  readImages({
    path: options.path ?? '/w',
    more: options.more ?? [],
    target: options.target ?? null,
    read: imageFiles(texts),
    env: options.env ?? {},
  });
const view = {
  docsUrl: 'docs',
  worldFolder: '/w',
  realPath: (path: string) => path.replace('/w/link', '/elsewhere'),
};
const document = (texts: Texts, options = {}) => imagesDocument(images(texts, options), view);

const by = (file: string, lines: readonly [number, number, number, number, number, number]) =>
  [
    'network.egress',
    'network.services',
    'network.ownLoopback',
    'network.host',
    'files.read',
    'files.persist',
  ].map((capability, nth) => ({ capability, file, line: lines[nth]! }));
const at = (line: number, file = 'Dockerfile') => ({ file, line });

t.test('[2.1] a build file alone', t => {
  const text =
    'FROM node:22\nENV PORT=80\nWORKDIR /app\nCOPY . .\nEXPOSE $PORT\nVOLUME /data\nUSER node\nCMD ["node", "."]\nFOO';
  t.strictSame(document({ Dockerfile: text }), {
    files: ['Dockerfile'],
    images: [
      {
        kind: 'wrld-image-declaration',
        version: 1,
        name: 'w',
        base: 'node:22',
        file: 'Dockerfile',
        line: 1,
        profiles: [],
        capabilities: {
          network: { services: [], ownLoopback: true, host: false },
          files: { read: [], persist: [{ path: '/data', ...at(6) }] },
        },
        command: ['node', '.'],
        user: 'node',
        workingFolder: '/app',
        environment: [{ name: 'PORT', value: '80', ...at(2) }],
        ports: [{ port: 80, protocol: 'tcp', published: null, ...at(5) }],
        dependsOn: [],
        extraHosts: [],
        declaredBy: by('Dockerfile', [1, 1, 5, 1, 1, 6]),
        refusals: [],
        notUnderstood: [{ ...at(9), what: 'no instruction is known as "FOO"' }],
      },
    ],
    notUnderstood: [{ ...at(9), what: 'no instruction is known as "FOO"' }],
  });
  t.end();
});

t.test('[2.1] a service over its build file; what is not written is not shown', t => {
  const texts = {
    'compose.yaml':
      'services:\n  api:\n    build: { context: api, target: run }\n    command: [b.js]\n    env_file: .env.api\n    environment:\n      SECRET: $SECRET\n      MODE: dev\n    depends_on: [db]\n    ports: ["8080:80"]\n    volumes: ["./conf:/conf:ro", "data:/var/data"]\n    network_mode: host\n    extra_hosts: ["x=10.0.0.1"]\n',
    'api/Containerfile':
      'FROM a AS run\nENTRYPOINT ["node"]\nCMD ["a.js"]\nENV MODE=built KEPT=1\nEXPOSE 80 81\nFROM b',
    '.env.api': 'TOKEN=t',
  };
  const c = (line: number) => at(line, 'compose.yaml');
  const b = (line: number) => at(line, 'api/Containerfile');
  t.strictSame(document(texts, { env: { SECRET: 's' } }).images, [
    {
      kind: 'wrld-image-declaration',
      version: 1,
      name: 'api',
      base: 'a',
      ...c(2),
      profiles: [],
      capabilities: {
        network: { services: ['db'], ownLoopback: true, host: true },
        files: {
          read: [{ from: '/w/conf', at: '/conf', readOnly: true, ...c(11) }],
          persist: [{ path: '/var/data', ...c(11) }],
        },
      },
      command: ['node', 'b.js'],
      user: null,
      workingFolder: '/',
      environment: [
        { name: 'MODE', value: 'dev', ...c(8) },
        { name: 'KEPT', value: '1', ...b(4) },
        { name: 'TOKEN', ...at(1, '.env.api') },
        { name: 'SECRET', ...c(7) },
      ],
      ports: [
        { port: 80, protocol: 'tcp', published: 8080, ...c(10) },
        { port: 81, protocol: 'tcp', published: null, ...b(5) },
      ],
      dependsOn: [{ name: 'db', condition: 'service_started', ...c(9) }],
      extraHosts: [{ name: 'x', address: '10.0.0.1', ...c(13) }],
      declaredBy: [
        { capability: 'network.egress', ...b(1) },
        { capability: 'network.services', ...c(9) },
        { capability: 'network.ownLoopback', ...b(5) },
        { capability: 'network.host', ...c(12) },
        { capability: 'files.read', ...c(11) },
        { capability: 'files.persist', ...c(11) },
      ],
      refusals: [],
      notUnderstood: [],
    },
  ]);
  t.end();
});

t.test('[7.2] egress that is closed, or listed', t => {
  const egress = (keys: string, after = '') => {
    const [image] = document({
      'compose.yaml': `services:\n  a:\n    image: x\n    ${keys}\n${after}`,
    }).images;
    const declared = image!.declaredBy.find(({ capability }) => capability === 'network.egress');
    return [image!.capabilities.network.egress, declared!.line];
  };
  t.strictSame(egress('user: u'), [undefined, 2]);
  t.strictSame(egress('network_mode: none'), [[], 4]);
  t.strictSame(egress('networks: [in]', 'networks: { in: { internal: true }, out: {} }'), [[], 4]);
  t.strictSame(egress('networks: [in, out]', 'networks: { in: { internal: true }, out: {} }'), [
    undefined,
    2,
  ]);
  t.strictSame(egress('x-wrld: { egress: [api.example.com] }'), [['api.example.com'], 4]);
  t.end();
});

t.test('[7.2] mounts that are refused, each with its file and line', t => {
  const text =
    'services:\n  a:\n    image: x\n    volumes:\n      - ./in:/in\n      - ../out:/out\n      - ./link:/link\n      - ./x:relative\n      - /etc/passwd:/p\n';
  t.match(
    document({ 'compose.yaml': text }).images[0]!.refusals.map(({ rule, target, missing, declaredBy }) => [
      ...[rule, target, missing],
      declaredBy?.line,
    ]),
    [
      ['mount-outside-world', '/out', 'grant', 6],
      ['mount-outside-world', '/elsewhere', 'grant', 7],
      ['read-invalid', 'relative', 'declaration', 8],
      ['mount-outside-world', '/etc/passwd', 'grant', 9],
    ],
  );
  t.end();
});

t.test('which files are read of a folder', t => {
  const compose = 'services: { a: { image: x } }';
  t.strictSame(images({ 'docker-compose.yml': compose, Dockerfile: 'FROM a' }).files, ['docker-compose.yml']);
  t.strictSame(images({ 'compose.yml': compose, 'compose.override.yml': compose }).files, [
    'compose.yml',
    'compose.override.yml',
  ]);
  t.strictSame(images({ 'compose.yml': compose, 'b.yml': compose }, { more: ['/w/b.yml'] }).files, [
    'compose.yml',
    'b.yml',
  ]);
  t.strictSame(images({ 'x.Dockerfile': 'FROM a' }, { path: '/w/x.Dockerfile' }).images[0]?.base, 'a');
  for (const [texts, options, why] of [
    [{}, {}, /^\.:1: neither a compose file nor a build file/],
    [
      { Dockerfile: 'FROM a AS one' },
      { target: 'two' },
      /^Dockerfile:1: no stage is called two \(there are: one\)/,
    ],
    [
      { 'compose.yml': 'services: { a: { build: ./b } }' },
      {},
      /^compose.yml:1: services.a.build: b\/Dockerfile:1: it is not there/,
    ],
    [
      { 'compose.yml': 'services: { a: { image: x, env_file: no } }' },
      {},
      /^compose.yml:1: env_file no: it is not there/,
    ],
    [{ Dockerfile: 'FROM a' }, { more: ['/w/b.yml'] }, /compose files follow compose files alone/],
    [
      { Dockerfile: `FROM a\nRUN ${'x'.repeat(1024 * 1024)}` },
      {},
      /^Dockerfile:1: it is longer than 1048576 bytes/,
    ],
  ] as const)
    t.throws(() => images(texts, { ...options } as object), { message: why });
  t.end();
});

t.test('a build file that is written in the compose file has its lines', t => {
  const text = 'services:\n  a:\n    build:\n      dockerfile_inline: |\n        FROM x\n        CMD ["y"]\n';
  const [image] = document({ 'compose.yaml': text }).images;
  t.strictSame(image!.command, ['y']);
  t.match(image!.declaredBy[0], { file: 'compose.yaml', line: 5 });
  t.end();
});

t.test('the words that an image runs', t => {
  const words = (text: string, args: readonly string[] | null = null) =>
    wordsOf(images({ Dockerfile: `FROM a\n${text}` }).images[0]!, args);
  t.equal(words(''), null);
  t.strictSame(words('', ['x']), ['x']);
  t.strictSame(words('CMD ["a"]', ['x']), ['x']);
  t.strictSame(words('ENTRYPOINT ["e"]\nCMD ["a"]', ['x']), ['e', 'x']);
  t.strictSame(words('ENTRYPOINT e\nCMD ["a"]', ['x']), ['/bin/sh', '-c', 'e']);
  t.strictSame(words('ENTRYPOINT ["e"]\nCMD a b'), ['e', '/bin/sh', '-c', 'a b']);
  t.end();
});

t.test('the health check of the build file, where the compose file says nothing of one', t => {
  const checks = images({
    Dockerfile: 'FROM a\nHEALTHCHECK CMD ["own"]',
    'compose.yaml': `services:
  silent: { build: . }
  other: { build: ., healthcheck: { test: [CMD, other] } }
  none: { build: ., healthcheck: { disable: true } }
`,
  }).images.map(({ name, healthCheck }) => [name, healthCheck?.command ?? null]);
  t.strictSame(checks, [
    ['silent', { words: ['own'], shell: false, place: at(2) }],
    ['other', { words: ['other'], shell: false, place: at(3, 'compose.yaml') }],
    ['none', null],
  ]);
  t.end();
});
