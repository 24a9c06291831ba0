// `wrld mcp`: a Model Context Protocol server over standard input and output, for coding agents. Standard output is the
// protocol's alone.
import { type Command, untilAsked } from '../command.ts';
import { version } from '../version.ts';

export const mcp: Command = {
  words: ['mcp'],
  summary: 'serve the world to a coding agent, by the Model Context Protocol over stdio',
  usage: '[--write] [--world <url>]',
  flags: {
    write: {
      type: 'switch',
      does: 'tools that act besides those that look: branches, the clock, handlers, changesets; nothing is deployed by any of them',
    },
    world: {
      type: 'value',
      value: '<url>',
      does: 'the world served at this URL, with the token of WRLD_WORLD_TOKEN, instead of the one that is up in this folder',
    },
  },
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld mcp', 'as an MCP client starts it, in the folder of the world'],
    ['claude mcp add wrld -- npx wrld mcp --write', 'for one such client; docs/agents.md has others'],
  ],
  notes: [
    'Tools look at the map, the timeline, entries, records, requests, refusals, the coverage of an operation, the clock, changesets and the report; answers come in pages. It serves whatever world is up when it is asked, and says how to start one when none is.',
  ],
  run: async (given, { output, folder, env }) => {
    const url = given.values.get('world') ?? env['WRLD_WORLD'] ?? null;
    if (url !== null && !env['WRLD_WORLD_TOKEN']) {
      output.error(
        'wrld mcp: WRLD_WORLD_TOKEN is not set; it holds the token of the world that is served there',
      );
      return 2;
    }
    const [{ serveStdio }, { openServer }, { Worlds }] = await Promise.all([
      import('@modelcontextprotocol/server/stdio'),
      import('../mcp/server.ts'),
      import('../mcp/worlds.ts'),
    ]);
    const own = await version();
    const worlds = new Worlds({ url, folder, env });
    const write = given.switches.has('write');
    const serving = serveStdio(() => openServer({ worlds, write, version: own }), {
      onerror: error => output.error(`wrld mcp: ${error.message}`),
    });
    const ended = new Promise<void>(resolve => process.stdin.once('close', resolve).once('end', resolve));
    await Promise.race([ended, untilAsked()]);
    await serving.close();
    return 0;
  },
};
