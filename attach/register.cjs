// Loaded into every Node process of a run (`NODE_OPTIONS=--require`, which worker threads and child processes
// inherit): sends its HTTP through the world's proxy. Node has a proxy setting of its own only since 22.21, and
// even there it covers neither an SDK's own `https.Agent` (stripe has one) nor older releases. Plain JavaScript
// for Node 18 and newer, without imports of ours: it runs in the users' processes.
'use strict';

const { installAgents } = require('./agents.cjs');
const { installFetch } = require('./fetch.cjs');
const { proxySettings } = require('./settings.cjs');
const { installUpgrades } = require('./upgrades.cjs');

const INSTALLED = Symbol.for('wrld.attach.1');

const settings = proxySettings(process.env);
if (settings !== null && !globalThis[INSTALLED]) {
  Object.defineProperty(globalThis, INSTALLED, { value: true });
  installAgents(settings);
  installFetch(settings);
  installUpgrades(settings);
}
