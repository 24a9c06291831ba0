// `wrld world browser`: this machine's browser in the world, or the switches that put another one into it.
import { browserKind, chromiumArgs, findBrowser } from '../browser.ts';
import type { Command } from '../command.ts';
import { keep } from '../keeping.ts';
import { readUp } from '../up-world.ts';
import { findFolder } from '../world-folder.ts';
import { runInWorld } from '../world-run.ts';

export const worldBrowser: Command = {
  words: ['world', 'browser'],
  summary: 'open a browser in the world',
  usage: '[<url>] [--with <program>] [--sandbox] [--args]',
  flags: {
    with: {
      type: 'value',
      value: '<program>',
      does: 'this browser (a Chromium or Firefox); the first that is found unless given',
    },
    sandbox: { type: 'switch', does: 'reach the twins alone: nothing leaves, whatever the config grants' },
    args: {
      type: 'switch',
      does: 'open nothing; print the switches for a Chromium of your own (of a test, say) as a JSON array',
    },
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world browser https://dashboard.stripe.com', 'the twin’s own screens, at the vendor’s address'],
    ['wrld world browser --args', 'for an automated Chromium in the world that is up'],
  ],
  notes: [
    'The browser gets a profile of its own, which trusts the world’s authority and is gone when the browser ends: your own stays as it is. What is not granted shows the refusal as a page.',
  ],
  run: async (given, around) => {
    const { output, env } = around;
    const program = given.values.get('with') ?? findBrowser(env['PATH'] ?? '');
    if (given.switches.has('args')) {
      const found = await findFolder(around.folder);
      if (!found.ok) {
        output.error(found.why);
        return 2;
      }
      const up = await readUp(found.paths);
      if (up === null || up.proxyUrl === null) {
        output.error('wrld world browser: no world with a proxy is up. Start it: wrld world up');
        return 1;
      }
      const { hostname, port } = new URL(up.proxyUrl);
      output.json(await chromiumArgs(up.caFile, { host: hostname, port: Number(port) }));
      return 0;
    }
    if (program === null) {
      output.error(
        'wrld world browser: no Chromium, Chrome, Edge, Brave or Firefox is found here; name one: --with <program>',
      );
      return 1;
    }
    if (browserKind(program) === null) {
      output.error(
        `wrld world browser: ${program} is no browser that is known here (a Chromium or Firefox, by its file name)`,
      );
      return 2;
    }
    const asked = {
      command: [program, ...given.operands],
      declaration: {},
      branch: null,
      fresh: false,
      keeping: keep('contained-if-possible', around),
      sandbox: given.switches.has('sandbox'),
      quiet: true,
      failOnRefusal: false,
      review: null,
    };
    return await runInWorld(asked, around);
  },
};
