// The worlds that a session reaches: the one that is up in the folder, or one that is served somewhere, and branches of
// either. A served world's branch is reached by the token that its making told, which is kept for the session.
import { type ReachResult, reachAt, reachWorld } from '../reached-world.ts';

type Options = {
  /** Of a served world; null: the one that is up in the folder. */
  readonly url: string | null;
  readonly folder: string;
  readonly env: { readonly [name: string]: string | undefined };
};

export class Worlds {
  readonly #options: Options;
  /** By `<org>/<world>`, of those that were made in this session. */
  readonly #tokens = new Map<string, string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Looked for anew each time: a world may be started again meanwhile, at another port. */
  async reach(branch: string | undefined): Promise<ReachResult> {
    const { url, folder, env } = this.#options;
    if (url === null) {
      const local = { ...env, WRLD_WORLD: undefined };
      const values = new Map(branch === undefined ? [] : [['branch', branch] as const]);
      return await reachWorld({ switches: new Set(), values }, { folder, env: local });
    }
    const values = new Map([['world', url]]);
    const world = await reachWorld({ switches: new Set(), values }, { folder, env });
    if (!world.ok || branch === undefined) return world;
    const name = branch.includes('/') ? branch : `${world.world.name.split('/')[0]}/${branch}`;
    const token = this.#tokens.get(name);
    if (token === undefined)
      return {
        ok: false,
        exit: 1,
        why: `the branch ${branch} was not made in this session, and only its own token opens it; make one with make_branch`,
      };
    return reachAt(new URL(url).origin, name, token);
  }

  made(name: string, token: string): void {
    this.#tokens.set(name, token);
  }
}
