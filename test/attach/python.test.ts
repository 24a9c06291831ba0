// What a Python process of a run loads (attach/python): libraries that bring their own roots trust the world's authority
// besides them, and nothing else of the process is changed.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import t from 'tap';
import { command } from '../kit/command-line.ts';
import { createTestAuthority } from '../kit/test-ca.ts';

const ATTACH = join(import.meta.dirname, '..', '..', 'attach', 'python');
const there = (await command(['python3', '--version'], tmpdir())).code === 0;

t.test('Python', { skip: there ? false : 'no python3 here' }, async t => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const files: { [name: string]: string } = {};
  for (const name of ['library', 'world']) {
    files[name] = join(folder, `${name}.pem`);
    await writeFile(files[name], (await createTestAuthority(name)).pem);
  }
  const { library = '', world = '' } = files;
  const python = async (code: string, env: { readonly [name: string]: string } = {}) => {
    const set = Object.entries({ PYTHONPATH: ATTACH, NODE_EXTRA_CA_CERTS: world, ...env });
    const words = ['env', ...set.map(([name, value]) => `${name}=${value}`), 'python3', '-B', '-c', code];
    const { code: exit, out, err } = await command(words, folder);
    return exit === 0 ? out.trim() : err;
  };
  const TRUSTED = `
import ssl
context = ssl.create_default_context(cafile=${JSON.stringify(library)})
print(*sorted(dict(part[0] for part in each["subject"])["commonName"] for each in context.get_ca_certs()))`;

  t.equal(await python(TRUSTED), 'library world');
  t.equal(
    await python(
      TRUSTED.replace('ssl.create_default_context(', 'ssl.SSLContext(); context.load_verify_locations('),
    ),
    'library world',
  );
  t.equal(await python(TRUSTED, { NODE_EXTRA_CA_CERTS: '' }), 'library', 'outside of a run');
  t.equal(
    await python(TRUSTED, { NODE_EXTRA_CA_CERTS: join(folder, 'gone.pem') }),
    'library',
    'after its run',
  );
  t.match(
    await python('import ssl; ssl.create_default_context(cafile="nothing.pem")'),
    /FileNotFoundError/,
    'a mistake of the program’s stays one',
  );
  t.equal(
    await python('import sys; print("ssl" in sys.modules)'),
    'False',
    'nothing is loaded that nobody wants',
  );

  const own = join(folder, 'own');
  await mkdir(own);
  await writeFile(join(own, 'sitecustomize.py'), 'import sys\nsys.own = "there"\n');
  const both = { PYTHONPATH: [ATTACH, own].join(delimiter) };
  t.equal(
    await python('import sys; print(sys.own)', both),
    'there',
    'one that it stands in front of runs too',
  );
  t.equal(await python(TRUSTED, both), 'library world');
  await writeFile(join(own, 'sitecustomize.py'), 'import ssl\n');
  t.equal(await python(TRUSTED, both), 'library world', 'also where that one imports ssl itself');
});
