// `wrld world browser list|show|set|remove`: the profiles by which the vendors' pages know who is there (2.5, 4.3).
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { BrowserProfile } from '../../control/world/browsers/profile.ts';
import type { Command, Surround } from '../command.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';

const COMMON = { flags: REACH_FLAGS, takesCommand: false } as const;

export const worldBrowserList: Command = {
  ...COMMON,
  words: ['world', 'browser', 'list'],
  summary: 'the world’s browser profiles',
  usage: REACH_USAGE,
  operandsMax: 0,
  examples: [['wrld world browser list', 'their names, a line each']],
  run: (given, around) =>
    askWorld<{ readonly browsers: readonly string[] }>(
      'world browser list',
      given,
      around,
      ({ client, own }) => client.get(own('browsers')),
      ({ browsers }) => {
        const { output } = around;
        for (const name of browsers) output.line(name);
        if (browsers.length === 0)
          output.line(output.ink('dim', 'No profiles. Make one: wrld world browser set <name> <file>'));
      },
    ),
};

export const worldBrowserShow: Command = {
  ...COMMON,
  words: ['world', 'browser', 'show'],
  summary: 'one browser profile: what it is signed in to, and its settings',
  usage: `<name> ${REACH_USAGE}`,
  operandsMax: 1,
  examples: [
    ['wrld world browser show ada', 'what it has, by host; no cookie’s value is shown'],
    ['wrld world browser show ada --json > ada.json', 'all of it, to be kept or edited and set again'],
  ],
  run: async (given, around) => {
    const [name] = given.operands;
    if (name === undefined) return missing(around, 'show', 'a name: wrld world browser show ada');
    return askWorld<BrowserProfile>(
      'world browser show',
      given,
      around,
      ({ client, own }) => client.get(own(`browsers/${encodeURIComponent(name)}`)),
      profile => {
        for (const line of linesOf(profile)) around.output.line(line);
      },
    );
  },
};

export const worldBrowserSet: Command = {
  ...COMMON,
  words: ['world', 'browser', 'set'],
  summary: 'make a browser profile of a file, or replace it',
  usage: `<name> <file> ${REACH_USAGE}`,
  operandsMax: 2,
  examples: [
    ['wrld world browser set ada ada.json', '{ storageState, context }, as show --json prints it'],
    ['wrld world browser set ada state.json', 'or what Playwright’s context.storageState() wrote'],
  ],
  notes: [
    'What was loaded of the profile before ends in each browser with its next navigation, and the new state is loaded. A file of Playwright’s has the state of a browser whose context is without settings.',
  ],
  run: async (given, around) => {
    const [name, file] = given.operands;
    if (name === undefined || file === undefined)
      return missing(around, 'set', 'a name and a file: wrld world browser set ada ada.json');
    const text = await readFile(resolve(around.folder, file), 'utf8').catch(
      (error: NodeJS.ErrnoException) => error,
    );
    if (typeof text !== 'string') {
      around.output.error(`wrld world browser set: ${file} cannot be read (${text.code ?? text.message})`);
      return 1;
    }
    return askWorld<BrowserProfile>(
      'world browser set',
      given,
      around,
      ({ client, own }) =>
        client.send('PUT', own(`browsers/${encodeURIComponent(name)}`), text, { type: 'application/json' }),
      profile => {
        around.output.line(`${name} is set:`);
        for (const line of linesOf(profile)) around.output.line(line);
      },
    );
  },
};

export const worldBrowserRemove: Command = {
  ...COMMON,
  words: ['world', 'browser', 'remove'],
  summary: 'remove a browser profile',
  usage: `<name> ${REACH_USAGE}`,
  operandsMax: 1,
  examples: [['wrld world browser remove ada', 'its addresses answer nobody from now on']],
  run: async (given, around) => {
    const [name] = given.operands;
    if (name === undefined) return missing(around, 'remove', 'a name: wrld world browser remove ada');
    return askWorld<null>(
      'world browser remove',
      given,
      around,
      ({ client, own }) => client.send('DELETE', own(`browsers/${encodeURIComponent(name)}`)),
      () => around.output.line(`${name} is removed`),
    );
  },
};

function missing({ output }: Surround, command: string, what: string): number {
  output.error(`wrld world browser ${command} needs ${what}`);
  return 2;
}

/** What is in it, and nobody's session: a cookie by its name alone. */
function linesOf({ storageState, context }: BrowserProfile): readonly string[] {
  const { cookies, origins } = storageState;
  const cookieLines = [...Map.groupBy(cookies, ({ domain }) => domain)].map(
    ([domain, its]) => `cookies of ${domain}: ${its.map(({ name }) => name).join(', ')}`,
  );
  const originLines = origins.map(({ origin, localStorage, indexedDB = [] }) => {
    const stored = localStorage.length === 0 ? 'no local storage' : `${localStorage.length} in local storage`;
    const databases = indexedDB.length === 0 ? '' : `, ${indexedDB.length} in IndexedDB`;
    return `${origin}: ${stored}${databases}`;
  });
  const settings = Object.entries(context).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const lines = [...cookieLines, ...originLines, ...settings];
  return lines.length === 0 ? ['an empty browser: no cookies, no storage, no settings'] : lines;
}
