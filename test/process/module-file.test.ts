// A module beside the one that asks, in the repository and in the package.
import t from 'tap';
import { moduleFile } from '../../process/module-file.ts';

t.test('it has the extension of whoever asks', async t => {
  const of = (from: string): string => moduleFile(from, './worker').href;
  t.equal(of('file:///repository/proxy/workers.ts'), 'file:///repository/proxy/worker.ts');
  t.equal(
    of('file:///my%20app/node_modules/wrld/dist/proxy/workers.js'),
    'file:///my%20app/node_modules/wrld/dist/proxy/worker.js',
  );
});
