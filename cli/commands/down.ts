// `wrld world down`: ends the world that is up in this folder, in its own good order.
import type { Command } from '../command.ts';
import { DOWN_LOOK_MS, DOWN_MS_MAX } from '../limits.ts';
import { readUp } from '../up-world.ts';
import { findFolder } from '../world-folder.ts';

export const worldDown: Command = {
  words: ['world', 'down'],
  summary: 'stop the world that is up in this folder',
  usage: '[--json]',
  flags: { json: { type: 'switch', does: 'print { down, pid } as JSON' } },
  operandsMax: 0,
  takesCommand: false,
  examples: [['wrld world down', 'requests in flight are finished first; 0 also when nothing was up']],
  run: async (given, { output, folder }) => {
    const json = given.switches.has('json');
    const found = await findFolder(folder);
    if (!found.ok) {
      output.error(`wrld world down: ${found.why}`);
      return 2;
    }
    const up = await readUp(found.paths);
    if (up === null) {
      if (json) output.json({ down: false, pid: null });
      else output.line('No world is up in this folder.');
      return 0;
    }
    process.kill(up.pid, 'SIGTERM');
    for (const until = performance.now() + DOWN_MS_MAX; performance.now() < until; ) {
      // Another process's end can only be looked for.
      await new Promise(resolve => setTimeout(resolve, DOWN_LOOK_MS));
      if (isGone(up.pid)) {
        if (json) output.json({ down: true, pid: up.pid });
        else output.line('The world is down.');
        return 0;
      }
    }
    output.error(`wrld world down: process ${up.pid} was asked to stop and has not ended yet`);
    return 1;
  },
};

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
