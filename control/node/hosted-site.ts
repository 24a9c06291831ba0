// The site of a world on this host: its endpoints, with all they know of the host beside the world itself.
import { Site } from '../http/site.ts';
import type { Surroundings } from '../http/surroundings.ts';
import { VendorSites } from '../http/vendor-sites.ts';
import { RequestBudget } from '../world/access/budget.ts';
import { Browsers } from '../world/browsers/browsers.ts';
import { Savepoint } from '../world/past/savepoint.ts';
import { openBrowserFiles } from './browser-files.ts';
import { digest } from './digest.ts';
import { openEntropy } from './entropy.ts';
import type { HandlersFile } from './handlers-file.ts';
import type { HostedWorld, WorldHost } from './hosted-world.ts';
import { pageFile } from './page-files.ts';
import { recordingFile } from './recording-file.ts';
import { resetStore } from './reset.ts';

/** What a world has of its host, and another world of the same host has not. */
export type OwnSurroundings = Pick<Surroundings, 'proxyUrl' | 'runs' | 'branches' | 'streamAt' | 'grants'> & {
  /** Resolves when what the host made of the tokens follows those in force. */
  readonly rotated?: () => Promise<void>;
};

export function openSite(hosted: HostedWorld, host: WorldHost, own: OwnSurroundings): Site {
  const { name, world, sql, twins, tokens, gate, files } = hosted;
  const { rotated, ...surroundings } = own;
  const savepoint = new Savepoint(sql, {
    before: 'savepoint.',
    kept: false,
    begin: () => sql.run("ATTACH ':memory:' AS savepoint"),
  });
  const isBranch = files.branches === null;
  const { handlers } = hosted;
  let keptHandlers: readonly (readonly [HandlersFile, string | null])[] = [];
  const ownOrigin = host.ownOrigin(name);
  const { siteForm } = host;
  const sites = new VendorSites(world, { ownOrigin, siteForm });
  const browsers = new Browsers({
    store: openBrowserFiles(files.browsers),
    digest,
    entropy: openEntropy(),
    sites: () => sites,
  });
  const now = async (): Promise<number> => Date.parse((await world.clock()).at);
  const around: Surroundings = {
    baseUrl: host.baseUrl,
    docsUrl: host.baseUrl,
    ownOrigin,
    siteForm,
    ca: host.ca,
    refusals: host.refusals,
    ...(host.outside && { outside: host.outside }),
    ...(host.config && { config: host.config }),
    gate,
    rotate: async () => {
      const renewed = await tokens.renew();
      await rotated?.();
      return renewed;
    },
    vendorError: (vendor, status, code, message) =>
      twins.find(twin => twin.id === vendor)?.twin.twin.error(status, code, message) ?? null,
    pageFile,
    browsers,
    entropy: openEntropy(),
    log: host.log,
    reset: async ask => {
      const outcome = await resetStore(
        {
          world: name,
          sql,
          files,
          now,
          rewrite: hosted.rewrite,
          savepoint,
          onSavepoint: async () => {
            for (const [file, text] of keptHandlers) if (file.text !== text) await file.put(text);
            for (const { twin } of twins) twin.recount?.();
            host.test?.onReset();
          },
        },
        ask,
      );
      if (outcome.ok) await browsers.renew();
      return outcome;
    },
    scenario: vendor => handlers.get(vendor) ?? null,
    recordingFile: (vendor, to) =>
      recordingFile({ folder: host.folder, vendor, declared: handlers.get(vendor) ?? null }, to),
    functions: vendor => {
      const functions = hosted.functions.get(vendor);
      return functions?.any === true ? (call, features) => functions.answer(call, features, now) : null;
    },
    savepoint: isBranch
      ? null
      : async () => {
          await hosted.keep(() => savepoint.take());
          keptHandlers = [...handlers.values()].map(file => [file, file.text]);
          host.test?.onReset();
        },
    ...(host.test && { prompter: host.test.prompter, calls: host.test.calls }),
    ...surroundings,
  };
  return new Site(world, around, host.budget === null ? null : new RequestBudget(host.budget));
}
