// A service that others wait for: its health check runs in it, as it does.
import t from 'tap';
import { openWorlds, startUp } from '../../kit/command-line.ts';
import { cannotRunNatively, runImage, writeFiles } from '../../kit/native.ts';

const skip = await cannotRunNatively();
const worlds = await openWorlds();
t.teardown(worlds.remove);

t.test('a service that is healthy is waited for, and one that never is ends the run', { skip }, async t => {
  const folder = await worlds.make('health');
  await using up = await startUp(folder);
  const waits = (test: string, more = ''): string => `services:
  api:
    build: &build { context: ., dockerfile_inline: "FROM x\\nWORKDIR /srv\\nUSER app" }
    command: [sh, -c, 'id -u > own; touch ready; exec sleep 1000']
    healthcheck: { test: [CMD-SHELL, '${test}'], interval: 100ms, retries: 2${more} }
  own:
    build: .
    command: [sh, -c, 'touch ready; exec sleep 1000']
  web:
    build: *build
    command: [echo, web ran]
    depends_on: { api: { condition: service_healthy }, own: { condition: service_healthy } }
`;
  // In the folder, the files and as the user of the program; by the build file where the compose file says nothing of it.
  await writeFiles(folder, {
    Dockerfile: 'FROM x\nWORKDIR /srv\nHEALTHCHECK --interval=100ms --start-period=1m CMD test -e ready\n',
    'compose.yaml': waits('test -e ready && test "$$(id -u)" = "$$(cat own)"', ', start_period: 1m'),
  });
  const well = await runImage(folder, '--quiet');
  t.match(well, { code: 0, out: 'web | web ran\n', err: /web ended with 0/ }, well.err);
  t.notMatch(well.err, /has no health check/);
  t.notMatch(well.err, /(?:api|own) ended with/, 'one ends the rest, and is told of alone');
  await writeFiles(folder, { 'compose.yaml': waits('test -e never') });
  const never = await runImage(folder, '--quiet');
  t.match(never, { code: 1, out: '' }, never.err);
  t.match(
    never.err,
    /api is not healthy, by the check of compose.yaml:5, and who depends on it is not started/,
  );

  t.equal(up.err(), '');
});
