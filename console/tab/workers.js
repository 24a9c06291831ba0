// Workers of an attached global: each is attached before its first line. Its script is loaded by a small one of a blob, which
// loads what attaches it first; the settings come in the fragment of that one's address, which is sent to nobody.
/** @typedef {import('./tab.js').Tab} Tab */

/** @param {typeof globalThis} scope @param {Tab} tab */
export function installWorkers(scope, tab) {
  if (typeof scope.Worker === 'function')
    scope.Worker = new Proxy(scope.Worker, {
      construct(target, [script, options], made) {
        const url = tab.absolute(script);
        const foreign = /^https?:$/.test(url.protocol) && url.origin !== scope.origin;
        // What the platform refuses is the platform's to refuse.
        if (tab.settings.workers === 'own' || foreign)
          return Reflect.construct(target, [url.href, options], made);
        const source = startOf(url, options?.type === 'module', tab);
        const started = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
        return Reflect.construct(target, [started, options], made);
      },
    });
  // Pages share one by the address of its script, which a blob has anew each time.
  if (typeof scope.SharedWorker === 'function' && tab.settings.workers !== 'own')
    scope.SharedWorker = new Proxy(scope.SharedWorker, {
      construct(_target, [script]) {
        const { program } = tab.settings;
        throw new TypeError(
          `${program} starts the SharedWorker ${script}, which cannot be attached from here: have its script call attach() of wrld/browser, and say workers: 'own'.`,
        );
      },
    });
}

/** Of the world's own, so that a bundler need not know it. @param {URL} script @param {Tab} tab */
function startUrl(script, { settings }) {
  const { world, name } = settings;
  const handed = encodeURIComponent(JSON.stringify({ ...settings, base: script.href }));
  return JSON.stringify(`${world}/-/${name}/tab/start.js#${handed}`);
}

/**
 * What is said to it before its script is there is said to it then. A module is not imported from the first line either: such
 * imports would have to be in the page's `worker-src`.
 * @param {URL} script @param {boolean} isModule @param {Tab} tab
 */
function startOf(script, isModule, tab) {
  const address = JSON.stringify(script.href);
  return `{
  const held = [];
  const hold = event => {
    event.stopImmediatePropagation();
    held.push(event);
  };
  addEventListener('message', hold);
  import(${startUrl(script, tab)}).then(async () => {
    ${isModule ? `await import(${address});` : ''}
    removeEventListener('message', hold);
    ${isModule ? '' : `importScripts(${address});`}
    for (const { data, ports, origin, lastEventId } of held)
      dispatchEvent(new MessageEvent('message', { data, ports: [...ports], origin, lastEventId }));
  }).catch(reportError);
}
`;
}

/** Of a worker whose own address is a blob's: its script's. @param {typeof globalThis} scope @param {Tab} tab */
export function installOwnPlace(scope, tab) {
  const { base } = tab.settings;
  if (base === null) return;
  Object.defineProperty(scope, 'location', { value: new URL(base), configurable: true });
  const worker = /** @type {{ importScripts?: (...urls: string[]) => void }} */ (
    /** @type {unknown} */ (scope)
  );
  const direct = worker.importScripts?.bind(scope);
  if (direct !== undefined)
    worker.importScripts = (...urls) => direct(...urls.map(url => tab.absolute(url).href));
}
