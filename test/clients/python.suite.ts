// The stories with the SDKs for Python: their versions are in python/requirements.txt.
import { join } from 'node:path';
import t from 'tap';
import { HERE, readyPython } from './ready.ts';
import { tellStories } from './stories.ts';

const ready = await readyPython();
t.test('Python', { skip: ready.ok ? false : ready.why }, async t => {
  if (!ready.ok) return;
  const python = join(ready.folder, 'python');
  await tellStories(t, {
    name: 'Python',
    words: story => [python, join(HERE, 'python', `${story}_story.py`)],
  });
});
