// The config in force while a world runs. A good edit becomes a new policy and is pushed; a bad one changes
// nothing, and the world says what is wrong with it until it is mended.
import { compileSnapshot, type NetworkGrants, type Snapshot, unreadSnapshot } from '../../policy/snapshot.ts';
import type { Log } from '../ports/log.ts';
import type { TwinConfig } from '../world/config/config.ts';
import { type LoadedConfig, loadConfig, watchConfig } from './config-file.ts';
import type { Ipc, Policy } from './ipc.ts';
import { systemFault } from './system-fault.ts';

export type ConfigState = {
  /** ISO 8601, wall time, of the edit that is in force. */
  readonly inForceSince: string;
  /** What is wrong with the file as it stands, a line a problem; null when it is what is in force. */
  readonly fault: string | null;
  /** What the file says and only a restart brings. */
  readonly atRestart: readonly string[];
};

export type LiveConfigOptions = {
  /** What the world started with. */
  readonly loaded: LoadedConfig;
  readonly log: Log;
};

/** What turns a config into the policy in force, and who is to have it. */
export type PolicyTarget = {
  readonly policyOf: (loaded: LoadedConfig) => Policy;
  /** Null where there is no proxy to push to. */
  readonly ipc: Pick<Ipc, 'push' | 'version'> | null;
  readonly onChange: (state: ConfigState) => void;
  /** The twins as the config in force has them, whenever it names another handlers file. */
  readonly onHandlers?: (twins: readonly TwinConfig[]) => Promise<void>;
};

export class LiveConfig implements Disposable {
  readonly #log: Log;
  readonly #boot: LoadedConfig;
  /** Null until it starts: the worlds that it judges for are opened first. */
  #target: PolicyTarget | null = null;
  /** The newest good one. */
  #loaded: LoadedConfig;
  #snapshot: Snapshot;
  #grants: readonly NetworkGrants[] = [];
  #twins: readonly TwinConfig[];
  #pushed = '';
  #inForceText = '';
  #state: ConfigState;
  #watcher: Disposable | null = null;
  #watched: readonly string[] = [];
  #applying: Promise<void> = Promise.resolve();
  #closed = false;
  readonly #inForce = Promise.withResolvers<void>();

  constructor(options: LiveConfigOptions) {
    this.#log = options.log;
    this.#boot = options.loaded;
    this.#loaded = options.loaded;
    this.#twins = options.loaded.config.twins;
    this.#snapshot = unreadSnapshot('');
    this.#state = { inForceSince: now(), fault: null, atRestart: [] };
  }

  /** The policy as this process judges by it (outbound.ts); unread, which lets nothing out, until it starts. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** What the policy in force grants, layer by layer; nothing until it starts. */
  get grants(): readonly NetworkGrants[] {
    return this.#grants;
  }

  /** Resolves with the first policy that this process judges by; a config that cannot be used has to be mended first. */
  get inForce(): Promise<void> {
    return this.#inForce.promise;
  }

  get state(): ConfigState {
    return this.#state;
  }

  /** Pushes what the world started with, then watches. */
  async start(target: PolicyTarget): Promise<void> {
    this.#target = target;
    await this.#apply(this.#boot);
    this.#watch(this.#boot.files);
  }

  /**
   * What a policy is made of besides the config has changed; resolves when it is in force. Before the start there is
   * nothing to do: the first policy has the change.
   */
  refresh(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#applying = this.#applying.then(() => this.#apply(this.#loaded));
    return this.#applying;
  }

  /** Reads the file again, as when it was saved; resolves when it is in force or refused. */
  reload(): Promise<void> {
    this.#applying = this.#applying.then(() => this.#reload());
    return this.#applying;
  }

  /** Resolves when every edit seen so far is in force or refused. */
  settled(): Promise<void> {
    return this.#applying;
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#watcher?.[Symbol.dispose]();
  }

  #watch(files: readonly string[]): void {
    if (this.#closed || files.join('\n') === this.#watched.join('\n')) return;
    this.#watcher?.[Symbol.dispose]();
    this.#watched = files;
    this.#watcher = watchConfig(files, this.#log, () => {
      // One edit after the other: two at once could leave the older one in force.
      void this.reload();
    });
  }

  async #reload(): Promise<void> {
    if (this.#closed) return;
    const file = this.#boot.files[0]!;
    const result = await loadConfig(file).catch(error => ({
      ok: false as const,
      fault: { text: systemFault(error, file) ?? `${file}: ${error.message}` },
    }));
    if (result.ok) {
      this.#watch(result.loaded.files);
      await this.#apply(result.loaded);
    } else this.#refuse(result.fault.text);
  }

  async #apply(loaded: LoadedConfig): Promise<void> {
    if (this.#target === null) return;
    const { ipc, policyOf } = this.#target;
    const log = this.#log;
    const policy = policyOf(loaded);
    const compiled = compileSnapshot({ epoch: '', version: 0, ...policy });
    if (!compiled.ok) return this.#refuse(compiled.why);
    await this.#handle(loaded);
    const text = JSON.stringify(policy);
    const atRestart = restartNeeds(this.#boot, loaded);
    // A refresh leaves what is wrong with the file as it stands.
    const fault = loaded === this.#loaded ? this.#state.fault : null;
    if (text === this.#inForceText) return this.#say({ ...this.#state, fault, atRestart });
    // Where roots and links are is no business of the proxy's: nobody asks as one of them there.
    const { vendors = [], ...others } = policy;
    const recorded = vendors.filter(({ by }) => by === 'recording');
    const shared = recorded.length === 0 ? others : { ...others, vendors: recorded };
    const pushed = JSON.stringify(shared);
    if (ipc !== null && pushed !== this.#pushed) {
      const outcome = await ipc.push(shared);
      if (typeof outcome === 'object') return this.#refuse(`the proxy rejected it: ${outcome.rejected}`);
    }
    this.#pushed = pushed;
    this.#inForceText = text;
    this.#loaded = loaded;
    this.#snapshot = compiled.snapshot;
    this.#grants = policy.grantless === undefined ? [policy.network, ...policy.parents] : [];
    this.#inForce.resolve();
    for (const need of atRestart) log.warn({}, `the config was edited: ${need} at the next start`);
    log.info({ version: ipc?.version ?? null, grants: policy.network.egress.length }, 'policy pushed');
    this.#say({ inForceSince: now(), fault, atRestart });
  }

  /** The twins that run, with the handlers files that the config names now; those that start or end wait for a restart. */
  get twins(): readonly TwinConfig[] {
    return this.#twins;
  }

  async #handle({ config }: LoadedConfig): Promise<void> {
    const named = new Map(config.twins.map(twin => [twin.vendor, twin.scenarioPath]));
    const twins = this.#boot.config.twins.map(twin =>
      named.has(twin.vendor) ? { ...twin, scenarioPath: named.get(twin.vendor) ?? null } : twin,
    );
    if (JSON.stringify(twins) === JSON.stringify(this.#twins)) return;
    this.#twins = twins;
    await this.#target?.onHandlers?.(twins);
  }

  #refuse(fault: string): void {
    this.#log.warn({}, `the config as it stands cannot be used; the last good one stays in force:\n${fault}`);
    this.#say({ ...this.#state, fault });
  }

  #say(state: ConfigState): void {
    this.#state = state;
    this.#target?.onChange(state);
  }
}

function restartNeeds(boot: LoadedConfig, edited: LoadedConfig): readonly string[] {
  const needs: string[] = [];
  if (boot.config.name !== edited.config.name) needs.push(`the world is named ${edited.config.name}`);
  const before = new Map(boot.config.twins.map(twin => [twin.vendor, twin]));
  for (const twin of edited.config.twins) {
    const there = before.get(twin.vendor);
    if (!there) needs.push(`the twin ${twin.vendor} starts`);
    else if (there.twin !== twin.twin) needs.push(`the twin ${twin.vendor} is as the file says`);
  }
  return needs;
}

function now(): string {
  return new Date().toISOString();
}
