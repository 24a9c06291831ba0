// Puts one global into its world: from here on what it asks by any of these is judged first.
import { installEventSource } from './event-source.js';
import { installBeacon, installFetch } from './fetch.js';
import { Tab } from './tab.js';
import { installWebSocket, installWebTransport } from './web-socket.js';
import { installOwnPlace, installWorkers } from './workers.js';
import { installXhr } from './xhr.js';

/** @param {typeof globalThis} scope @param {import('./tab.js').Settings} settings */
export function install(scope, settings) {
  const tab = new Tab(scope, settings);
  const direct = installFetch(scope, tab);
  installBeacon(scope, tab, direct);
  installXhr(scope, tab);
  installEventSource(scope, tab);
  installWebSocket(scope, tab);
  installWebTransport(scope, tab);
  installWorkers(scope, tab);
  installOwnPlace(scope, tab);
  return { tab, direct };
}
