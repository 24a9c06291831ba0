// `wrld world run --declaration`: the run names itself to the proxy, and is held to what it declared.
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { openWorlds, startUp, wrld } from '../kit/command-line.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);

t.test(
  '[7.2 undeclared] what the app does not declare is refused, and declaredBy names file and line',
  async t => {
    const folder = await worlds.make('declared');
    const origin = createServer((_request, response) => response.end('from p.test'));
    await new Promise<void>(resolve => origin.listen(0, '127.0.0.1', resolve));
    t.teardown(() => origin.close());
    const { port } = origin.address() as { port: number };
    await mkdir(join(folder, '.wrld'), { recursive: true });
    await writeFile(
      join(folder, '.wrld', 'world.json'),
      JSON.stringify({
        name: 'acme/declared',
        services: { stripe: { twin: 'stripe' } },
        runtime: {
          network: { egress: [`http://p.test:${port}`, `http://q.test:${port}`] },
          extraHosts: { 'p.test': '127.0.0.1', 'q.test': '127.0.0.1' },
        },
      }),
    );
    await writeFile(join(folder, 'app.json'), `{\n  "egress": ["p.test:${port}"]\n}\n`);
    const ask = (...words: string[]) => wrld(folder, 'world', 'run', ...words);
    const curl = (host: string) => ['--', 'curl', '-s', `http://${host}:${port}/`];

    t.match(await ask('--declaration', 'app.json', ...curl('p.test')), { code: 0, out: 'from p.test' });
    const refused = await ask('--declaration', 'app.json', ...curl('q.test'));
    const record = JSON.parse(refused.out.split('\n')[1]!);
    t.match(record, {
      rule: 'undeclared',
      missing: 'declaration',
      declaredBy: { capability: 'network.egress', file: 'app.json', line: 2 },
    });
    t.match(
      await ask(...curl('q.test')),
      { code: 0, out: 'from p.test' },
      'a run without a declaration is open',
    );

    const up = await startUp(folder);
    t.teardown(() => up[Symbol.asyncDispose]?.());
    t.match(
      (await ask('--declaration', 'app.json', ...curl('q.test'))).out,
      /"rule":"undeclared"/,
      'in a world that is up',
    );
    const shell = await ask('--declaration', 'app.json', '--', 'sh', '-c', 'echo "$HTTPS_PROXY"');
    const used = shell.out.trim();
    t.match(used, /^http:\/\/run-[0-9a-f]{8}:[\w-]{32}@127\.0\.0\.1:\d+$/);
    const late = await ask(
      '--',
      'curl',
      '-s',
      '-x',
      used,
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      `http://p.test:${port}/`,
    );
    t.equal(late.out, '407', 'its credentials end with it');

    for (const [name, text, why] of [
      ['no.json', null, /cannot be read \(ENOENT\)/],
      ['bad.json', '{', /bad\.json: not JSON/],
      ['unknown.json', '{"egres":[]}', /egres/],
      ['wild.json', '{"egress":["*.p.test"]}', /no wildcards/],
    ] as const) {
      if (text !== null) await writeFile(join(folder, name), text);
      t.match(await ask('--declaration', name, ...curl('p.test')), { code: 2, err: why }, name);
    }
  },
);
