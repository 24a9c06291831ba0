// The file rules of 7.2, each with its nearest neighbour that passes.
import t from 'tap';
import { type FileDecision, type FileView, judgeMount, judgePersist, judgeRead } from '../../policy/files.ts';

const view: FileView = {
  docsUrl: 'http://docs.test',
  declaration: { declaredBy: [{ capability: 'files.persist', file: 'Dockerfile', line: 12 }] },
  visible: ['/image', '/mnt/in', '/provided/one.json'],
  volumes: ['/data'],
  worldFolder: '/home/dev/shop',
};
const said = (decision: FileDecision): string => (decision.ok ? 'yes' : decision.refusal.rule);

t.test(
  '[7.2 read-invalid] [7.2 read-undeclared] [7.2 persist-undeclared] [7.2 mount-outside-world]',
  async t => {
    const rows: [judge: typeof judgeRead, path: string, expected: string][] = [
      [judgeRead, 'relative/file', 'read-invalid'],
      [judgeRead, '', 'read-invalid'],
      [judgeRead, '/home/dev/.ssh/id', 'read-undeclared'],
      [judgeRead, '/image/app.js', 'yes'],
      [judgeRead, '/image', 'yes'],
      [judgeRead, '/images/app.js', 'read-undeclared'],
      [judgeRead, '/image/../home/dev/.ssh/id', 'read-undeclared'],
      [judgeRead, '/x/../image/./app.js', 'yes'],
      [judgeRead, '/image/./../etc/passwd', 'read-undeclared'],
      [judgeRead, '/image//../etc/passwd', 'read-undeclared'],
      [judgeRead, '//image//app.js', 'yes'],
      [judgeRead, '/provided/one.json', 'yes'],
      [judgeRead, '/provided/two.json', 'read-undeclared'],
      [judgeRead, '/data/kept', 'yes'],
      [judgeRead, '/image/a\0/../../etc', 'read-undeclared'],
      [judgePersist, '/data/db', 'yes'],
      [judgePersist, '/data', 'yes'],
      [judgePersist, '/database', 'persist-undeclared'],
      [judgePersist, '/image/cache', 'persist-undeclared'],
      [judgePersist, 'data', 'persist-undeclared'],
      [judgeMount, '/home/dev/shop/fixtures', 'yes'],
      [judgeMount, '/home/dev/shop', 'yes'],
      [judgeMount, '/home/dev/shop-secrets', 'mount-outside-world'],
      [judgeMount, '/home/dev/shop/../.ssh', 'mount-outside-world'],
      [judgeMount, '/home/dev', 'mount-outside-world'],
    ];
    for (const [judge, path, expected] of rows)
      t.equal(said(judge(path, view)), expected, `${judge.name} ${path}`);
  },
);

t.test('[2.1] a file refusal names the path and where it was declared', async t => {
  t.match(judgePersist('/cache', view), {
    refusal: {
      capability: 'files.persist',
      target: '/cache',
      missing: 'declaration',
      declaredBy: { line: 12 },
    },
  });
  const read = judgeRead('/etc/passwd', view);
  t.notOk(!read.ok && 'declaredBy' in read.refusal, 'another capability’s declaration is not named');
});
