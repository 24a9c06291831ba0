// A world of note twins with the vendor of notes behind it, cut and approved as a test likes.
import type { Deployed } from '../../control/world/changesets/deploy.ts';
import type { Root } from '../../control/world/roots/root.ts';
import { mountTwin } from '../../twins/kit/mount.ts';
import { noteTwin } from './note-twin.ts';
import { type Capability, type NoteVendor, noteDeploys, noteVendor, rootWith } from './note-vendor.ts';
import { type NoteWorld, type NoteWorldOptions, openNoteWorld } from './note-world.ts';

export type DeployWorld = AsyncDisposable & {
  readonly notes: NoteWorld;
  readonly vendor: NoteVendor;
  /** Of the note twin; change it by assigning. */
  root: Root | null;
  /** The id of a note that was made as an app makes one. */
  make(body: object): Promise<string>;
  /** Cut and verified. */
  cut(name: string): Promise<void>;
  deploy(name: string): Promise<Deployed>;
  /** Status and reason of each action. */
  receipts(name: string): Promise<readonly string[]>;
};

export const JSON_TYPE = { headers: { 'content-type': 'application/json' } };

/** As the origin's checks would have said. */
export const verify = (notes: Pick<NoteWorld, 'sql'>, name: string): void => {
  notes.sql.run(
    `UPDATE changeset SET verification = json_object('hash', hash, 'ok', json('true'), 'at', '', 'failures', json('[]'))
     WHERE name = ?`,
    name,
  );
};

export const noteTwinWith = (capability: Capability) =>
  mountTwin(noteTwin({ real: { authorize: () => [], deploys: noteDeploys(capability) } }).twin, null);

export const openDeployWorld = async (
  capability: Capability = 'once',
  more: NoteWorldOptions & { readonly vendor?: NoteVendor } = {},
): Promise<DeployWorld> => {
  const { vendor = noteVendor(), ...options } = more;
  const wall = options.wall ?? { at: Date.UTC(2026, 0, 31) };
  const held: { root: Root | null } = { root: rootWith('manual') };
  const notes = await openNoteWorld({
    wall,
    twins: { note: noteTwinWith(capability) },
    vendors: {
      asks: vendor.asks,
      root: () => held.root,
      pause: async ms => {
        wall.at += ms;
      },
    },
    ...options,
  });
  const { changesets, deploys } = notes.world;
  return {
    notes,
    vendor,
    get root() {
      return held.root;
    },
    set root(root) {
      held.root = root;
    },
    make: async body => (await notes.ask('POST', '/notes', body, JSON_TYPE)).body.id,
    cut: async name => {
      const made = await changesets.cut({ by: 'token', owner: null, message: 'why', name });
      if (!made.ok) throw new Error(made.message);
      verify(notes, name);
    },
    deploy: async name => {
      const result = await deploys.one(name);
      if (!result.ok) throw new Error(result.message);
      return result.changesets[0]!;
    },
    receipts: async name =>
      (await changesets.get(name))!.deployed.map(
        ({ status, reason }) => status + (reason === undefined ? '' : `: ${reason}`),
      ),
    [Symbol.asyncDispose]: () => notes[Symbol.asyncDispose](),
  };
};
