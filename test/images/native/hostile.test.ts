// Images that mean ill, as far as a sandbox for programs that mean well goes: what they do ends with them, and in them.
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import t from 'tap';
import { openWorlds, startUp } from '../../kit/command-line.ts';
import { lacks } from '../../kit/contained.ts';
import { cannotRunNatively, runImage, writeFiles } from '../../kit/native.ts';

const SLASH = 47;
const skip = (await cannotRunNatively()) || (await lacks('perl'));
const worlds = await openWorlds();
t.teardown(worlds.remove);

t.test('in a world that is up', { skip }, async t => {
  const folder = await worlds.make('hostile');
  await using up = await startUp(folder);

  const [major = 0, minor = 0] = release().split('.').map(Number);
  const bound = process.getuid!() !== 0 || major > 6 || (major === 6 && minor >= 14);
  await t.test('[bad-input] a fork bomb has as many processes as it may', { skip: !bound }, async t => {
    await writeFiles(folder, {
      'bomb/compose.yaml':
        'services:\n  bomb:\n    build: { context: ., dockerfile_inline: "FROM x\\nCOPY bomb.pl /" }\n    command: [perl, /bomb.pl]\n    pids_limit: 40\n',
      'bomb/bomb.pl': `my $n = 0;
        while (defined(my $child = fork)) { if (!$child) { sleep 1000; exit } $n++ }
        print "$n, then ", $!+0, "\\n";`,
    });
    const ended = await runImage(folder, 'bomb', '--quiet');
    const [, count, why] = /^(\d+), then (\d+)$/m.exec(ended.out) ?? [];
    t.ok(Number(count) > 5 && Number(count) <= 40 + 300, `${count} processes; ${ended.err}`);
    t.equal(Number(why), 11, 'EAGAIN');
    t.match(ended.err, /at most 40 processes/);
  });

  await t.test(
    '[bad-input] names with every byte, and pipes: there as they are, and nobody waits',
    async t => {
      await writeFiles(folder, {
        'odd/Dockerfile': 'FROM x\nCOPY ["in, \\"it\\\\", "/odd"]\nCOPY . /all\nCOPY pipe /pipe\n',
        'odd/in, "it\\/f': 'x',
      });
      for (let byte = 1; byte < 256; byte++)
        if (byte !== SLASH) await writeFile(Buffer.from([...Buffer.from(`${folder}/odd/n`), byte]), '');
      execFileSync('mkfifo', ['pipe'], { cwd: `${folder}/odd` });
      const script = `ls /odd; perl -e 'opendir D, "/all"; print scalar(grep { length == 2 && /^n/s } readdir D), "\\n"'
      test -p /all/pipe && echo pipe; test -e /pipe || echo none
      grep -v ' /dev' /proc/self/mountinfo | cut -d' ' -f6 | grep -v nosuid || echo nosuid`;
      const ended = await runImage(folder, 'odd', '--', 'sh', '-c', script);
      t.match(ended, { code: 0, out: 'f\n254\npipe\nnone\nnosuid\n' }, ended.err);
      t.match(ended.err, /odd\/Dockerfile:4: .*pipe is neither a file nor a folder/);
    },
  );
  t.equal(up.err(), '');
});
