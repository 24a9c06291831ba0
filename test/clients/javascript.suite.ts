// The stories with the SDKs for JavaScript, on this Node.
import { join } from 'node:path';
import t from 'tap';
import { HERE } from './ready.ts';
import { tellStories } from './stories.ts';

t.test('JavaScript', t =>
  tellStories(t, {
    name: 'JavaScript',
    words: story => [process.execPath, join(HERE, 'javascript', `${story}.mjs`)],
    agent: true,
  }),
);
