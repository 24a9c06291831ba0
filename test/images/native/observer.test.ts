// What the program of a native run asked for past its sandbox, as its user is told of it.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { openWorlds, startUp } from '../../kit/command-line.ts';
import { lacks } from '../../kit/contained.ts';
import { cannotRunNatively, runImage, writeFiles } from '../../kit/native.ts';

const skip = (await cannotRunNatively()) || (await lacks('perl'));
const worlds = await openWorlds();
t.teardown(worlds.remove);
const parsed = (line: string): unknown => JSON.parse(line);

t.test('in a world that is up', { skip }, async t => {
  const folder = await worlds.make('observed');
  await using up = await startUp(folder);

  await t.test(
    '[7.2 read-undeclared] [7.2 read-invalid] what no container could see, as records',
    async t => {
      const other = await mkdtemp(join(tmpdir(), 'wrld-other-'));
      t.teardown(() => rm(other, { recursive: true }));
      await writeFiles(other, { 'plain.txt': 'x', 'stat.txt': 'x', 'odd\n"name': 'x', 'own.txt': 'x' });
      await writeFiles(folder, {
        'reads/compose.yaml': [
          'services:',
          '  app:',
          `    build: { context: ., dockerfile_inline: "FROM x\\nCOPY own.txt ${other}/own.txt\\n" }`,
          `    command: [perl, /reads.pl, '${other}', '${folder}']`,
          '    volumes: [./reads.pl:/reads.pl:ro]',
        ].join('\n'),
        'reads/own.txt': 'x',
        'reads/reads.pl': `
        my ($other, $world) = @ARGV;
        my $read = sub { open my $file, '<', $_[0] or return print "none\\n"; print "there\\n" };
        $read->("$other/$_") for 'plain.txt', 'none.txt', 'own.txt', "odd\\n\\"name";
        print -e "$other/./stat.txt" ? "there\\n" : "none\\n";
        chdir $other; $read->('plain.txt');
        $read->("$world/.wrld/token");
        mkdir '/tmp/gone'; chdir '/tmp/gone'; rmdir '/tmp/gone'; $read->('relative.txt');`,
      });
      const ended = await runImage(folder, 'reads', '--refusals', 'records.jsonl');
      const answers = 'none none there none none none none none '.replaceAll(' ', '\n');
      t.match(ended, { code: 0, out: answers }, ended.err);
      const records = (await readFile(join(folder, 'records.jsonl'), 'utf8')).trim().split('\n');
      const declaredBy = { capability: 'files.read', file: 'reads/compose.yaml', line: 5 };
      const told = (rule: string, target: string): object => ({ rule, target, declaredBy });
      t.match(records.map(parsed), [
        told('read-undeclared', `${other}/plain.txt`),
        told('read-undeclared', `${other}/odd\\x0a"name`),
        told('read-undeclared', `${other}/stat.txt`),
        told('read-invalid', 'relative.txt'),
      ]);
      t.equal(records.length, 4, 'each once');
      t.match(ended.err, /\[read-undeclared\]: .*plain.txt was read, .*declaration: reads\/compose.yaml:5/);
    },
  );

  await t.test('[7.1] a connection past the world: a line for each process and port', async t => {
    await writeFiles(folder, { Dockerfile: 'FROM debian\n' });
    const dial = `
      use Socket; socket my $s, PF_INET, SOCK_STREAM, 0;
      connect($s, sockaddr_in(8443, inet_aton('192.0.2.9'))) for 1 .. 3;
      connect($s, sockaddr_in(9, inet_aton('127.0.0.1')));
      socket my $six, PF_INET6, SOCK_STREAM, 0;
      connect $six, sockaddr_in6(8444, Socket::inet_pton(AF_INET6, '2001:db8::1'));
      socket my $u, PF_INET, SOCK_DGRAM, 0; send $u, 'x', 0, sockaddr_in(53, inet_aton('192.0.2.9'));`;
    const script = `perl -e "$0"; curl -s --noproxy '*' -m 5 https://192.0.2.1/; true`;
    const ended = await runImage(folder, '--fail-on-refusal', '--', 'sh', '-c', script, dial);
    const lines = ended.err.matchAll(/^Sandbox: (.*)\((\d+)\) deny\(1\) network-outbound remote:\*:(\d+)$/gm);
    const told = [...lines].map(([, program, pid, port]) => [program, Number(pid) > 1, Number(port)]);
    t.strictSame(
      told,
      [
        ['perl', true, 8443],
        ['perl', true, 8444],
        ['perl', true, 53],
        ['curl', true, 443],
      ],
      ended.err,
    );
    t.equal(ended.code, 3);
    const quiet = await runImage(folder, '--quiet', '--', 'sh', '-c', `${script}; exit 4`, dial);
    t.equal(quiet.code, 4);
    t.notMatch(quiet.err, /Sandbox/);
  });
  t.equal(up.err(), '');
});
