// The stories with the SDKs for Go: their versions are in go/go.mod, what they must hash to in go/go.sum.
import { join } from 'node:path';
import t from 'tap';
import { readyGo } from './ready.ts';
import { tellStories } from './stories.ts';

const ready = await readyGo();
t.test('Go', { skip: ready.ok ? false : ready.why }, async t => {
  if (!ready.ok) return;
  const { folder } = ready;
  await tellStories(t, { name: 'Go', words: story => [join(folder, story)] });
});
