// One world as this host has it: its store, its tokens and its twins, opened together and closed in the reverse order.
// The served world and each of its branches are one each; what answers for it is its site (hosted-site.ts).
import { dirname } from 'node:path';
import { Gate } from '../http/gate.ts';
import type { ConfigFile, Surroundings } from '../http/surroundings.ts';
import type { Log } from '../ports/log.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { TrustedIssuer } from '../ports/trusted-issuer.ts';
import type { BudgetLimits } from '../world/access/budget.ts';
import { openTokens } from '../world/access/token.ts';
import type { RootConfig, TwinConfig } from '../world/config/config.ts';
import type { HistorySource } from '../world/log/history-source.ts';
import { openWorld } from '../world/open-world.ts';
import { parseRoot } from '../world/roots/root-document.ts';
import { migrate, StoreError } from '../world/store/schema.ts';
import type { TwinInWorld } from '../world/twins/twin-in-world.ts';
import type { World } from '../world/world.ts';
import { openAlarms } from './alarms.ts';
import { openBlobs } from './blobs.ts';
import { ControlError } from './control-error.ts';
import { digest } from './digest.ts';
import { openEntropy } from './entropy.ts';
import type { HandlerFunctions } from './handler-functions.ts';
import type { HandlersFile } from './handlers-file.ts';
import { isLogEmpty } from './log-head.ts';
import { openOutbound, type PolicyInForce } from './outbound.ts';
import { processor } from './processor.ts';
import { threadSandbox } from './sandbox.ts';
import type { Settler } from './settler.ts';
import { openSqlite, type SqliteFile } from './sqlite.ts';
import { refuseLoss, unusable, type WorldFiles } from './store-guard.ts';
import { StoreKeeper } from './store-keeper.ts';
import { WorldTokens } from './token-file.ts';
import { openTwins } from './twins.ts';
import { removeUnfinished } from './unfinished.ts';
import type { VendorRegistry } from './vendor-registry.ts';
import { wallClock } from './wall-clock.ts';

/** What the worlds behind one listener share. */
export type WorldHost = {
  /** From which modules and handlers files of twins are found. */
  readonly folder: string;
  readonly twins: readonly TwinConfig[];
  /** How each open world is told that the config names other handlers files. */
  readonly handled: Set<(configs: readonly TwinConfig[]) => Promise<void>>;
  readonly log: Log;
  /** For what the worlds send themselves. */
  readonly policy: PolicyInForce;
  /** Where the worlds' roots and links are. */
  readonly vendors: VendorRegistry;
  /** What seals the credentials of a world of that name. */
  readonly sealer: (world: string) => Sealer;
  /** `http://127.0.0.1:<port>` */
  readonly baseUrl: string;
  /** By `<org>/<world>`. */
  readonly ownOrigin: (world: string) => string | null;
  /** Where the sites of those worlds have their addresses (4.3, rule 1). */
  readonly siteForm: Surroundings['siteForm'];
  /** PEM. */
  readonly ca: string;
  readonly refusals: Surroundings['refusals'];
  /** What went through the proxy of those worlds; absent where there is none. */
  readonly outside?: Surroundings['outside'];
  /** Where grants are listed; absent where they are in no file of one world. */
  readonly config?: ConfigFile;
  /** Of a test's worlds. */
  readonly test?: HostedTest;
  /** The platforms whose passes open sessions. */
  readonly trusted: readonly TrustedIssuer[];
  /** Where many worlds are open at once; one by itself needs none. */
  readonly settler?: Settler | undefined;
  /** Of each world behind the listener (8); null for none. */
  readonly budget: BudgetLimits | null;
};

/** What a test has of its worlds, beside their endpoints. */
export type HostedTest = Required<Pick<Surroundings, 'prompter' | 'calls'>> & {
  /** A world is at its savepoint: what was seen before counts no more. */
  readonly onReset: () => void;
};

export type HostedWorld = AsyncDisposable & {
  /** `<org>/<world>`. */
  readonly name: string;
  readonly files: WorldFiles;
  readonly world: World;
  readonly sql: SqliteFile;
  /** The tokens in force: a rotation replaces them. */
  readonly tokens: WorldTokens;
  readonly gate: Gate;
  readonly twins: readonly TwinInWorld[];
  readonly handlers: ReadonlyMap<string, HandlersFile>;
  readonly functions: ReadonlyMap<string, HandlerFunctions>;
  /** `World.rewrite`, to something that may have less than the world had. */
  readonly rewrite: (work: () => void) => Promise<void>;
  /** Does it to the store when all that the world was asked is in it. */
  readonly keep: (work: () => void) => Promise<void>;
};

export type HostedWorldOptions = {
  readonly host: WorldHost;
  /** `<org>/<world>`. */
  readonly name: string;
  readonly files: WorldFiles;
  /** Of the world that a branch left. */
  readonly parent?: HistorySource;
};

/** The folder of the store is there. Throws `ControlError`, with nothing left open. */
export async function openHostedWorld(options: HostedWorldOptions): Promise<HostedWorld> {
  const { host, name, files, parent } = options;
  const { log, settler, trusted } = host;
  await removeUnfinished([dirname(files.marks)]);
  await using opened = new AsyncDisposableStack();
  const { sql, keeper } = await openStore(files, { log, settler, opened });
  const tokens = openTokens({ sql, entropy: openEntropy(), digest });
  const pair = await WorldTokens.open(tokens, files.tokens, log);
  const twins = await openTwins(host.folder, host.twins, log);
  if (!twins.ok) throw new ControlError('twin-unusable', twins.why);
  opened.defer(twins.close);
  host.handled.add(twins.handle);
  opened.defer(() => void host.handled.delete(twins.handle));
  const world = await openWorld({
    name,
    sql,
    durability: sql,
    blobs: openBlobs(files.blobs),
    digest,
    processor,
    wall: wallClock,
    alarms: openAlarms(wallClock),
    entropy: openEntropy(),
    outbound: openOutbound(host.policy),
    sealer: host.sealer(name),
    reach: host.vendors.reach(name),
    processLog: log,
    // A branch has no root of its own: what it does is pushed to the world it left.
    ...(parent === undefined ? { roots: rootsOf(host) } : {}),
    twins: twins.twins,
    sandbox: threadSandbox,
    ...(parent === undefined ? {} : { parent }),
  });
  opened.defer(() => host.vendors.leave(name));
  opened.defer(() => world.close());
  const kept = opened.move();
  return {
    name,
    files,
    world,
    sql,
    tokens: pair,
    gate: new Gate({ sql, entropy: openEntropy(), digest, wall: wallClock, tokens, trusted }),
    twins: twins.twins,
    handlers: twins.files,
    functions: twins.functions,
    rewrite: work => keeper.goingBack(() => world.rewrite(work)),
    keep: async work => {
      await world.kept();
      work();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** As the config has them. Throws `ControlError` for what is no root. */
function rootsOf({ twins, vendors: { ownMachine: loopback } }: WorldHost): ReadonlyMap<string, RootConfig> {
  const roots = new Map<string, RootConfig>();
  for (const { vendor, root } of twins) {
    if (root === undefined) continue;
    const read = parseRoot(root, { loopback, defaults: { every: null, atMost: '1m' } });
    if (!read.ok) {
      const at = ['services', vendor, 'root', ...read.at].join('.');
      throw new ControlError('config-invalid', `.wrld/world.json  ${at}: ${read.message}`);
    }
    roots.set(vendor, root);
  }
  return roots;
}

/** As the world's marks say that it was left, or not at all. */
async function openStore(
  files: WorldFiles,
  parts: Pick<WorldHost, 'log' | 'settler'> & { readonly opened: AsyncDisposableStack },
): Promise<{ readonly sql: SqliteFile; readonly keeper: StoreKeeper }> {
  const { log, settler, opened } = parts;
  try {
    await refuseLoss(files);
    const sql = openSqlite(files.database, { emptyLog: await isLogEmpty(files.database) });
    opened.use(sql);
    migrate(sql);
    return { sql, keeper: opened.use(new StoreKeeper({ sql, files, log, settler })) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === 'damaged') throw unusable(files, error.message);
    throw new ControlError(error.code === 'newer-schema' ? 'store-newer' : 'store-unusable', error.message);
  }
}
