// `wrld world serve`: a world by its URL alone, for apps that reach it over the network with a token. No proxy,
// no branches; `wrld world up` is for this machine.
import { isIP } from 'node:net';
import { BUDGET_REQUESTS_PER_SECOND } from '../../control/world/limits.ts';
import { readBudget } from '../budget-flag.ts';
import { type Command, readPort, untilAsked } from '../command.ts';
import { findWorld } from '../world-folder.ts';

export const worldServe: Command = {
  words: ['world', 'serve'],
  summary: 'serve the world at a URL, with tokens, without a proxy',
  usage: '[--host <address>] [--port <number>] [--budget <number>|off] [--trust <issuer>] [--json]',
  flags: {
    host: { type: 'value', value: '<address>', does: 'the address to listen on; 127.0.0.1 unless given' },
    port: { type: 'value', value: '<number>', does: 'the port; 0, the default, is any free one' },
    budget: {
      type: 'value',
      value: '<number>|off',
      does: `requests a second that the world answers, sustained; ${BUDGET_REQUESTS_PER_SECOND} unless given, ten times as many at once`,
    },
    trust: {
      type: 'value',
      value: '<issuer>',
      does: 'a platform whose passes open sessions for its people: its https URL, or a file of its public keys (JWKS)',
    },
    json: {
      type: 'switch',
      does: 'print one JSON line when it is up: { baseUrl, worldUrl, token, readToken, pid }',
    },
  },
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world serve --port 4000', 'prints both tokens, and writes them to .wrld/token'],
    [
      'curl http://127.0.0.1:4000/acme/shop/stripe/v1/customers -H "x-twins-key: $TOKEN"',
      'a twin of the served world, under its vendor id',
    ],
  ],
  notes: [
    'An app is attached from anywhere with WRLD_WORLD=<world URL> and WRLD_WORLD_TOKEN=<token>. Beyond loopback put TLS in front of it: the token travels in a header.',
  ],
  run: async (given, { output, folder }) => {
    const wrong = (why: string): number => {
      output.error(`wrld world serve: ${why}`);
      return 2;
    };
    const port = readPort(given.values.get('port'));
    if (port === null) return wrong('--port takes a number from 0 to 65535');
    const host = given.values.get('host') ?? '127.0.0.1';
    if (host !== 'localhost' && isIP(host) === 0)
      return wrong('--host takes an address: 127.0.0.1, ::1, 0.0.0.0 or one of this machine');
    const budget = readBudget(given.values.get('budget'));
    if (budget === undefined) return wrong('--budget takes a number of requests a second, 1 or more, or off');
    const found = await findWorld(folder);
    if (!found.ok) {
      output.error(found.why);
      return 2;
    }
    const asked = untilAsked();
    const { serveWorld } = await import('../start-world.ts');
    const trust = given.values.get('trust');
    const served = await serveWorld({
      paths: found.paths,
      host: host === 'localhost' ? '127.0.0.1' : host,
      port,
      budget,
      ...(trust === undefined ? {} : { trust: [trust] }),
      tell: line => output.error(`${output.ink('yellow', 'wrld:')} ${line}`),
    });
    if (!served.ok) {
      output.error(`wrld world serve: ${served.why}`);
      return served.exit;
    }
    await using control = served.control;
    const { baseUrl, worldUrl, token, readToken, ownOrigin } = control;
    if (given.switches.has('json')) output.json({ baseUrl, worldUrl, token, readToken, pid: process.pid });
    else {
      const page = `${ownOrigin ?? baseUrl}/-${new URL(worldUrl).pathname}/`;
      output.line(output.ink('bold', found.config.name));
      const rows = { World: worldUrl, Page: page, Token: token, 'Read token': readToken };
      for (const [title, value] of Object.entries(rows)) output.line(`  ${title.padEnd(12)}${value}`);
      output.line(output.ink('dim', '\nServing. Ctrl-C stops it.'));
    }
    await asked;
    return 0;
  },
};
