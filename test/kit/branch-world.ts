// A branch of a note world in memory, made as a host makes it: a cut of the parent, and a store that begins there.
import { writeBase } from '../../control/world/store/branch-base.ts';
import { type NoteWorld, type NoteWorldOptions, openNoteWorld } from './note-world.ts';

export type BranchWorldOptions = Pick<
  NoteWorldOptions,
  'twins' | 'wall' | 'entropy' | 'file' | 'send' | 'hydration' | 'vendors'
> & {
  readonly at?: string;
  readonly live?: boolean;
};

export const branchOff = async (parent: NoteWorld, options: BranchWorldOptions = {}): Promise<NoteWorld> => {
  const { at = null, live = false, ...own } = options;
  const cut = await parent.world.past.cut(at, live);
  if (!cut.ok) throw new Error(cut.message);
  return openNoteWorld({
    wall: parent.wall,
    ...own,
    name: `${parent.world.name}-1`,
    parent: parent.world.past.source,
    prepare: sql => writeBase(sql, cut),
  });
};
