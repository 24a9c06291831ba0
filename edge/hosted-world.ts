// One world as its object has it: its store, its ports and its site, opened together.
import { Gate } from '../control/http/gate.ts';
import { Site } from '../control/http/site.ts';
import type { BranchHost, Surroundings } from '../control/http/surroundings.ts';
import { VendorSites } from '../control/http/vendor-sites.ts';
import type { Log } from '../control/ports/log.ts';
import { RequestBudget } from '../control/world/access/budget.ts';
import { openTokens, type Tokens } from '../control/world/access/token.ts';
import { Browsers } from '../control/world/browsers/browsers.ts';
import { BUDGET_BURST_REQUESTS, BUDGET_REQUESTS_PER_SECOND } from '../control/world/limits.ts';
import type { HistorySource } from '../control/world/log/history-source.ts';
import { openWorld } from '../control/world/open-world.ts';
import type { AskOrigin } from '../control/world/origin/asking.ts';
import type { World } from '../control/world/world.ts';
import type { ObjectAlarms } from './alarms.ts';
import { openBlobs } from './blobs.ts';
import { openBrowsers } from './browsers.ts';
import { digest } from './digest.ts';
import { entropy } from './entropy.ts';
import type { Env } from './env.ts';
import { openGoingBack } from './going-back.ts';
import { openOutbound } from './outbound.ts';
import { pageFile } from './page-files.ts';
import { WorldPolicy } from './policy.ts';
import { engineSandbox } from './sandbox.ts';
import { openScenarios } from './scenario.ts';
import { openSealer } from './sealers.ts';
import { openTwins } from './shipped-twins.ts';
import type { EdgeSql } from './sql.ts';
import { trustedIssuers } from './trusted-issuers.ts';
import type { WorldRecord } from './world-record.ts';
import { WorldTokens } from './world-tokens.ts';

export type HostedParts = {
  readonly record: WorldRecord;
  readonly env: Env;
  readonly sql: EdgeSql;
  readonly kv: SyncKvStorage;
  readonly alarms: ObjectAlarms;
  readonly log: Log;
  /** Of the host, as who asks names it. */
  readonly baseUrl: () => string;
  readonly ownOrigin: string | null;
  /** The world that it left; null for a world that is no branch. */
  readonly parent: HistorySource | null;
  readonly branches: (hosted: () => HostedWorld) => BranchHost;
  readonly askOrigin: (policy: WorldPolicy) => AskOrigin;
  readonly tell: ConstructorParameters<typeof WorldTokens>[0]['tell'];
};

export type HostedWorld = {
  readonly record: WorldRecord;
  readonly world: World;
  readonly site: Site;
  readonly tokens: WorldTokens;
  readonly close: () => Promise<void>;
};

export const wall = { now: (): number => Date.now() };

export async function openHostedWorld(parts: HostedParts): Promise<HostedWorld> {
  const { record, env, sql, kv, alarms, log, parent } = parts;
  const { name } = record;
  const tokens = openTokens({ sql, entropy, digest });
  const pair = new WorldTokens({ kv, tokens, tell: parts.tell });
  await pair.resume();
  const twins = openTwins(record.vendors);
  const named = twins.map(({ id, twin }) => ({ id, manifest: twin.twin.manifest }));
  const policy = new WorldPolicy({ world: name, docsUrl: parts.baseUrl(), twins: named, log });
  const sealer = openSealer(name, env, log);
  const scenario = openScenarios(kv, twins, log);
  const world = await openWorld({
    name,
    sql,
    durability: sql,
    blobs: openBlobs(env.BLOBS, blobPrefix(record)),
    digest,
    wall,
    alarms,
    entropy,
    outbound: openOutbound(() => policy.snapshot),
    ...(sealer !== null && { sealer }),
    reach: policy.reach,
    processLog: log,
    twins,
    sandbox: engineSandbox,
    askOrigin: parts.askOrigin(policy),
    ...(parent !== null && { parent }),
  });
  const around = aroundOf(parts, {
    world,
    tokens,
    pair,
    twins,
    scenario,
    branches: parts.branches(() => hosted),
  });
  const site = new Site(
    world,
    around,
    new RequestBudget({ requestsPerSecond: BUDGET_REQUESTS_PER_SECOND, burst: BUDGET_BURST_REQUESTS }),
  );
  const hosted: HostedWorld = { record, world, site, tokens: pair, close: () => world.close() };
  return hosted;
}

/** Of a world's large bytes; no other world has it, were it of the same name. */
export const blobPrefix = ({ id }: Pick<WorldRecord, 'id'>): string => `worlds/${id}/`;

type Opened = {
  readonly world: World;
  readonly tokens: Tokens;
  readonly pair: WorldTokens;
  readonly twins: ReturnType<typeof openTwins>;
  readonly scenario: ReturnType<typeof openScenarios>;
  readonly branches: BranchHost;
};

function aroundOf(
  { record, sql, kv, env, log, baseUrl, ownOrigin }: HostedParts,
  { world, tokens, pair, twins, scenario, branches }: Opened,
): Surroundings {
  // Below localhost any name leads here; elsewhere one wildcard certificate has one label.
  const siteForm = isLocal(ownOrigin) ? 'local' : 'hosted';
  const sites = new VendorSites(world, { ownOrigin, siteForm });
  const browsers = new Browsers({ store: openBrowsers(kv), digest, entropy, sites: () => sites });
  return {
    get baseUrl() {
      return baseUrl();
    },
    get docsUrl() {
      return baseUrl();
    },
    ownOrigin,
    siteForm,
    // What is served here is trusted by everybody's roots.
    ca: '',
    proxyUrl: () => null,
    runs: null,
    branches,
    ...openGoingBack({ isBranch: record.parent !== null, world, sql, kv, twins, browsers, scenario }),
    scenario,
    refusals: () => [],
    gate: new Gate({ sql, entropy, digest, wall, tokens, trusted: trustedIssuers(env.TRUSTED_ISSUERS, log) }),
    rotate: () => pair.renew(),
    vendorError: (vendor, status, code, message) =>
      twins.find(({ id }) => id === vendor)?.twin.twin.error(status, code, message) ?? null,
    pageFile,
    browsers,
    entropy,
    log,
  };
}

function isLocal(origin: string | null): boolean {
  return origin !== null && new URL(origin).hostname.endsWith('.localhost');
}
