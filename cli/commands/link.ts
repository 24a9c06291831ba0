// `wrld world link`: vendors that the world forwards to under a name, where no twin stands in for them (4.7).
import type { Link } from '../../control/world/roots/links.ts';
import type { Command } from '../command.ts';
import { table } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';

const pathOf = (name: string): string => `links/${encodeURIComponent(name)}`;

export const worldLink: Command = {
  words: ['world', 'link'],
  summary: 'the links: vendors that the world forwards to under a name',
  usage: REACH_USAGE,
  flags: REACH_FLAGS,
  operandsMax: 0,
  takesCommand: false,
  examples: [['wrld world link', 'each with its origin']],
  run: (given, around) =>
    askWorld<{ readonly links: readonly Link[] }>(
      'world link',
      given,
      around,
      ({ client, own }) => client.get(own('links')),
      ({ links }) => {
        const { output } = around;
        if (links.length === 0) {
          output.line(
            output.ink('dim', 'No links. Make one: wrld world link set maps https://api.maps.example'),
          );
          return;
        }
        const rows = links.map(({ name, origin }) => [name, origin]);
        for (const line of table(output, ['name', 'origin'], rows)) output.line(line);
      },
    ),
};

export const worldLinkSet: Command = {
  words: ['world', 'link', 'set'],
  summary: 'make a link, or point it elsewhere',
  usage: `<name> <origin> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 2,
  takesCommand: false,
  examples: [['wrld world link set maps https://api.maps.example', 'then: wrld world credential set maps']],
  run: async (given, around) => {
    const [name, origin] = given.operands;
    const { output } = around;
    if (name === undefined || origin === undefined) {
      output.error(
        'wrld world link set needs a name and an origin: wrld world link set maps https://api.maps.example',
      );
      return 2;
    }
    return askWorld<Link>(
      'world link set',
      given,
      around,
      ({ client, own }) => client.send('PUT', own(pathOf(name)), { origin }),
      (link, world) => {
        output.line(`/${world.name}/${link.name}/… forwards to ${link.origin}`);
        output.line(output.ink('dim', `Its credential: wrld world credential set ${link.name}`));
      },
    );
  },
};

export const worldLinkRemove: Command = {
  words: ['world', 'link', 'remove'],
  summary: 'remove a link, and what was sealed for it',
  usage: `<name> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world link remove maps', 'nothing is forwarded any more']],
  run: async (given, around) => {
    const [name] = given.operands;
    const { output } = around;
    if (name === undefined) {
      output.error('wrld world link remove needs a name: wrld world link remove maps');
      return 2;
    }
    return askWorld<null>(
      'world link remove',
      given,
      around,
      ({ client, own }) => client.send('DELETE', own(pathOf(name))),
      () => output.line(`the link ${name} is removed`),
    );
  },
};
