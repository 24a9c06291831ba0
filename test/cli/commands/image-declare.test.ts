// `wrld image declare`, as a person and as a program use it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { ImagesDocument } from '../../../images/declaration-text.ts';
import { openWorlds, wrld } from '../../kit/command-line.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);

t.test('[2.1] for people, with every line that says it', async t => {
  const folder = await worlds.make('declared');
  await writeFile(join(folder, 'Dockerfile'), 'FROM node:22\nEXPOSE 80\nVOLUME /data\nCMD ["node"]\nFOO\n');
  await writeFile(
    join(folder, 'compose.yaml'),
    'services:\n  shop:\n    build: .\n    environment: { A: "1" }\n    depends_on: [db]\n',
  );
  const told = await wrld(folder, 'image', 'declare');
  t.equal(told.code, 0, told.err);
  t.equal(
    told.out.replace(/^ {2}(\S.*?) {2,}/gm, '$1 | ').replace(/ {2,}/g, ' | '),
    [
      'shop | compose.yaml:2, from node:22',
      'command | ["node"]',
      'folder | /, as root',
      'egress | Dockerfile:1 | open',
      'services | compose.yaml:5 | db',
      'own loopback | Dockerfile:2 | yes',
      'machine’s network | compose.yaml:2 | no',
      'port | Dockerfile:2 | 80/tcp',
      'keeps | Dockerfile:3 | /data',
      'variable | compose.yaml:4 | A=1',
      '',
    ].join('\n'),
  );
  t.equal(told.err, 'note Dockerfile:5: no instruction is known as "FOO"\n');
});

t.test('[7.2 mount-outside-world] a mount that no world gives ends in 1', async t => {
  const folder = await worlds.make('mounts');
  await writeFile(join(folder, 'compose.yaml'), 'services:\n  a:\n    image: x\n    volumes: ["/etc:/e"]\n');
  const told = await wrld(folder, 'image', 'declare');
  t.equal(told.code, 1);
  t.match(
    told.out,
    /refused \[mount-outside-world\] \/etc is the host path.*fix: docs\/reference\/refusals#mount-outside-world/,
  );
  const json = await wrld(folder, 'image', 'declare', '--json');
  t.equal(json.code, 1);
  const { images } = JSON.parse(json.out) as ImagesDocument;
  t.match(images[0]!.refusals, [
    { rule: 'mount-outside-world', declaredBy: { file: 'compose.yaml', line: 4 } },
  ]);
});

t.test('what cannot be read says where, and what it shows is safe to show', async t => {
  const folder = await worlds.make('bad');
  t.match(await wrld(folder, 'image', 'declare'), {
    code: 1,
    out: '',
    err: /neither a compose file nor a build file/,
  });
  await writeFile(join(folder, 'compose.yaml'), 'services: {\n');
  t.match(await wrld(folder, 'image', 'declare'), {
    code: 1,
    out: '',
    err: /^wrld image declare: compose.yaml:\d: no YAML/,
  });
  await writeFile(join(folder, 'compose.yaml'), 'services:\n  a:\n    image: x\n    "\\e[31mx\\n": 1\n');
  const odd = await wrld(folder, 'image', 'declare');
  t.notMatch(odd.err, /[\u0000-\u0009\u001b]/);
  t.match(await wrld(folder, 'image', 'declare', 'a', 'b'), { code: 2 });
});
