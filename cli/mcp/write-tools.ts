// Tools that act, for a server that was started with `--write`: nothing of what they do reaches a real vendor.
import type { ChangesetRecord } from '../../control/world/changesets/changesets.ts';
import { moveClock } from '../clock-move.ts';
import type { ToldReport } from '../report/report.ts';
import { type Asked, type Told, type Tool, textOf, toldBy } from './tool.ts';

const TEXT = { type: 'string' } as const;
const TWIN = { ...TEXT, description: 'the vendor, as map names it: stripe' };

/** Nobody is told how far it is: standard output is the protocol's. */
const SILENT = { progress: (): void => {} };

export const WRITE_TOOLS: readonly Tool[] = [
  {
    name: 'make_branch',
    title: 'Make a branch',
    description:
      'A branch: the whole world as of now, to try something in and throw away. Whatever is done in it leaves the world as it was. Its name is the `branch` of the other tools; a program runs in it by `wrld world run --branch <name> -- <command>`. Its clock is set, and moves by advance_clock.',
    takes: {
      label: { ...TEXT, description: 'part of its name: <world>-<label>-<4 hex>' },
      ttl: {
        type: 'integer',
        minimum: 60,
        description: 'seconds until it is removed by itself; it stays unless given',
      },
      at: { ...TEXT, description: 'an ISO 8601 instant: the world as it was then, instead of as of now' },
      live: { type: 'boolean', description: 'keep this world’s time, instead of a clock that stands' },
    },
    writes: true,
    next: 'Remove branches that nobody needs: wrld world branch remove <name>',
    run: async ({ world, args, worlds }) => {
      const { label, ttl, at, live } = args;
      const body = {
        ...(label === undefined ? {} : { label }),
        ...(ttl === undefined ? {} : { ttl }),
        ...(at === undefined ? {} : { at: { instant: at } }),
        ...(live === undefined ? {} : { live }),
      };
      const made = await world.client.send('POST', world.own('branches'), body);
      return toldBy<{ readonly name: string; readonly token: string; readonly expiresAt: string | null }>(
        made,
        ({ name, token, expiresAt }) => {
          worlds.made(name, token);
          const branch = name.split('/').at(-1)!;
          return { branch, expiresAt, run: `wrld world run --branch ${branch} -- <command>` };
        },
      );
    },
  },
  {
    name: 'advance_clock',
    title: 'Advance the clock',
    description:
      'Moves a set clock forward; everything that falls due meanwhile happens in order: renewals, retries of webhooks, expiries. A clock that follows the wall clock is set first, by set_clock or in a branch.',
    takes: { by: { ...TEXT, pattern: '^[0-9]+[smhd]$', description: '90s, 15m, 36h, 31d' } },
    needs: ['by'],
    writes: true,
    next: 'Call clock: a clock that is not frozen is set by set_clock, or stands in a branch of make_branch.',
    run: async ({ world, args }) => {
      const move = { method: 'POST', path: 'clock/advance', body: { by: textOf(args, 'by')! } } as const;
      return toldBy(await moveClock(world, move, SILENT), body => body);
    },
  },
  {
    name: 'set_clock',
    title: 'Set the clock',
    description: 'Sets the clock to an instant, where it stands. It never moves back.',
    takes: { at: { ...TEXT, description: 'ISO 8601 with its offset: 2026-03-01T00:00:00Z' } },
    needs: ['at'],
    writes: true,
    again: true,
    next: 'Call clock for the instant that it is; take a later one.',
    run: async ({ world, args }) => {
      const move = { method: 'PUT', path: 'clock', body: { at: textOf(args, 'at')! } } as const;
      return toldBy(await moveClock(world, move, SILENT), body => body);
    },
  },
  {
    name: 'get_scenario',
    title: 'The handlers of a twin',
    description:
      'The handlers document of a twin: what it answers in the place of its own operations, such as faults, and what a language model’s twin says.',
    takes: { twin: TWIN },
    needs: ['twin'],
    // Only a credential that writes opens it.
    writes: true,
    again: true,
    next: 'A service takes handlers where .wrld/world.json names their file as colocate.scenarioPath.',
    run: async ({ world, args }) => toldBy(await world.client.get(scenarioOf(world, args)), body => body),
  },
  {
    name: 'put_scenario',
    title: 'Put handlers in force',
    description:
      'Puts a handlers document in force, from the next call on: { "version": 1, "handlers": [{ "id": "declined", "match": { "method": "POST", "path": "/v1/charges" }, "reply": { "status": 402, "json": {} } }] }. It takes the place of the one before: get_scenario tells that. A document with faults changes nothing, and each fault is told.',
    takes: { twin: TWIN, handlers: { type: 'object', description: 'the whole document' } },
    needs: ['twin', 'handlers'],
    writes: true,
    again: true,
    next: 'Mend what the message names and put the whole document again.',
    run: async ({ world, args }) =>
      toldBy(await world.client.send('PUT', scenarioOf(world, args), args['handlers']), () => ({
        inForce: true,
      })),
  },
  {
    name: 'cut_changeset',
    title: 'Cut a changeset',
    description:
      'Cuts everything that was done and is in no changeset yet into one, for people to read and approve, holds it against the world’s checks where it has some, and tells what a deploy of it would ask of the real vendors. Nothing is deployed.',
    takes: {
      message: { ...TEXT, description: 'what it is for, as a commit’s message' },
      name: { ...TEXT, description: 'what it is called; made up unless given' },
    },
    needs: ['message'],
    writes: true,
    next: 'Call timeline to see what was done; take another `name` where there is one already.',
    run: cut,
  },
];

const scenarioOf = (world: Asked['world'], args: Asked['args']): string =>
  world.own(`twins/${encodeURIComponent(textOf(args, 'twin')!)}/scenario`);

async function cut({ world, args }: Asked): Promise<Told> {
  const { client, own } = world;
  const { message, name } = args;
  const body = { message, ...(name === undefined ? {} : { name }) };
  const made = toldBy<ChangesetRecord>(await client.send('POST', own('changesets'), body), found => found);
  if (!made.ok) return made;
  const { name: called } = made.value as ChangesetRecord;
  const place = own(`changesets/${called}`);
  const verified = await client.send('POST', `${place}/verify`, undefined, { patient: true });
  // A world that has no checks has no such endpoint.
  const unverified = verified.ok && verified.status === 404 ? null : toldBy(verified, () => null);
  const [changeset, report] = await Promise.all([
    client.get(place),
    client.get(own(`report?changeset=${called}`)),
  ]);
  const actions = toldBy<ToldReport>(report, found => ({
    actions: found.actions,
    actionsLeft: found.actionsLeft,
  }));
  return toldBy(changeset, found => ({
    changeset: found,
    ...(actions.ok ? (actions.value as object) : {}),
    ...(unverified?.ok === false ? { notVerified: unverified.why } : {}),
  }));
}
