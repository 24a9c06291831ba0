// RUN, natively: in the world and as its user, kept as it was made, and over when the run is.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { command, type Ended, openWorlds, startUp } from '../../kit/command-line.ts';
import { startRun } from '../../kit/contained.ts';
import { buildWords, cannotRunNatively, writeFiles } from '../../kit/native.ts';
import { startHttpOrigin } from '../../kit/origin.ts';
import { createTestAuthority } from '../../kit/test-ca.ts';

const skip = await cannotRunNatively();
const worlds = await openWorlds();
t.teardown(worlds.remove);
const cache = t.testdir();

t.test('RUN makes what the program finds', { skip }, async t => {
  const folder = await worlds.make('built', {
    services: { stripe: { twin: 'stripe' } },
    runtime: { network: { egress: [] } },
  });
  await using _up = await startUp(folder);
  const run = (...args: string[]): Promise<Ended> => command(buildWords(cache, ...args), folder);

  await writeFiles(folder, {
    Dockerfile: [
      'FROM node:26 AS build',
      'ARG WHO=world',
      'ENV GREETING=hello',
      'WORKDIR /app',
      'COPY package.json ./',
      'RUN echo "$GREETING $WHO $(id -u) $PWD" > made && echo told',
      'COPY . .',
      'RUN --mount=type=cache,target=/root/.cache echo x > /root/.cache/x && rm -r src && mkdir src && echo new > src/new.txt',
      'RUN <<EOF',
      'curl -sS -m 5 -u sk_test_x: https://api.stripe.com/v1/customers | grep -o list > answered',
      'curl -sS -m 5 -o /dev/null -w "%{http_code}" https://example.com/ > refused',
      'EOF',
      'FROM debian',
      'COPY --from=build /app /srv',
      `RUN printf '#!/bin/sh\\necho tool' > /usr/local/bin/tool && chmod 755 /usr/local/bin/tool`,
      'USER app',
      'WORKDIR /srv',
      'CMD ["sh", "-c", "cat made answered refused; echo; ls src; test -e /root/.cache/x && echo cached; ls -a | grep -c wrld; tool"]',
      '',
    ].join('\n'),
    'package.json': '{}',
    'src/old.txt': 'old',
  });

  await t.test('[2.5] in the world, each on what was before it', async t => {
    const ended = await run();
    t.equal(ended.code, 0, ended.err);
    t.equal(ended.out, 'hello world 0 /app\nlist\n502\nnew.txt\n0\ntool\n');
    t.match(ended.err, /Dockerfile:6: RUN echo "\$GREETING .*\n {2}\| told\n/);
    t.match(ended.err, /refused to curl.*\[not-granted\].*example\.com/);
    t.notMatch(ended.err, /persist-undeclared|is not run/);
  });

  await t.test('once, until what it came of is another', async t => {
    const again = await run();
    t.equal(again.out, 'hello world 0 /app\nlist\n502\nnew.txt\n0\ntool\n', again.err);
    t.equal(again.err.match(/\(made before\)/g)?.length, 4, again.err);
    writeFileSync(join(folder, 'package.json'), '{"changed":true}');
    t.notMatch((await run()).err, /Dockerfile:6: .*made before/);
  });

  await t.test('what fails is told with its line, and nothing is started', async t => {
    const text = readFileSync(join(folder, 'Dockerfile'), 'utf8');
    writeFileSync(join(folder, 'Dockerfile'), text.replace('USER app', 'RUN echo why >&2; exit 7\nUSER app'));
    const ended = await run();
    t.equal(ended.code, 1);
    t.equal(ended.out, '');
    t.match(ended.err, /\n {2}\| why\n.*cannot be built: Dockerfile:16: RUN ended with 7: echo why/);
  });

  await t.test('its time and its signals are those of the run', async t => {
    // A window that changes its size ends nothing.
    await writeFiles(folder, {
      Dockerfile:
        'FROM a\nRUN --mount=source=go,target=/go echo waits; until test -e /go/on; do sleep 0.1; done\nCMD ["true"]\n',
      'go/begun': '',
    });
    await using resized = startRun(folder, buildWords(cache));
    await resized.said(/\| waits/);
    resized.process.kill('SIGWINCH');
    await writeFiles(folder, { 'go/on': '' });
    t.equal(await resized.ended(), 0, resized.err());

    await writeFiles(folder, { Dockerfile: 'FROM a\nRUN sleep 1000\nCMD ["true"]\n' });
    const late = await run('--time', '1s');
    t.equal(late.code, 124, late.err);
    await using live = startRun(folder, buildWords(cache));
    await live.said(/RUN sleep 1000/);
    live.process.kill('SIGTERM');
    t.equal(await live.ended(), 143);
  });
});

t.test('[4.2] what a world of phase build passes through, RUN reaches unread', { skip }, async t => {
  const authority = await createTestAuthority();
  await using origin = await startHttpOrigin({
    tls: { authority, hosts: ['127.0.0.1'] },
    handler: (_, answer) => void answer.end('unread\n'),
  });
  const url = `https://127.0.0.1:${origin.port}`;
  const network = { egress: [url], passthrough: [url] };
  const folder = await worlds.make('phase', { runtime: { phase: 'build', network } });
  await writeFiles(folder, {
    // Nobody who reads it has a certificate of that authority's.
    'own.pem': authority.pem,
    Dockerfile: [
      'FROM a',
      'COPY own.pem /own.pem',
      `RUN curl -sS -m 10 --noproxy "" --proxy "$HTTPS_PROXY" --cacert /own.pem ${url}/ > /fetched`,
      'CMD ["cat", "/fetched"]',
      '',
    ].join('\n'),
  });
  const ended = await command(buildWords(cache), folder);
  t.match(ended, { code: 0, out: 'unread\n' }, ended.err);
  t.equal(origin.requests.length, 1);
});
