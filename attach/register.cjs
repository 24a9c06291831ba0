// Loaded into every Node process of a run (`NODE_OPTIONS=--require`, which worker threads and child processes inherit):
// whatever client the program uses, it reaches the world, and what the world refuses is an Error with the record (7.1).
// Plain JavaScript for Node 18 and newer, without imports of ours: it runs in the users' processes, and loads nothing
// of Node's that a program of one line would not soon load itself.
'use strict';

const { isMainThread } = require('node:worker_threads');

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NODE_USE_ENV_PROXY'];
const INSTALLED = Symbol.for('wrld.attach.1');

if (!globalThis[INSTALLED]) {
  Object.defineProperty(globalThis, INSTALLED, { value: true });
  const { env } = process;
  // A world that is served elsewhere and named by hand (4.2): what a run would have set is not there.
  if (env.WRLD_WORLD && env.WRLD_WORLD_TOKEN && !env.WRLD_WORLD_PROXY)
    require('./served-world.cjs').attachToServedWorld();
  else if (!isMainThread) require('./served-world.cjs').trustInThread();
  install(require('./settings.cjs').readSettings(env));
}

function install(settings) {
  if (settings === null) return;
  const carried = require('./carried-environment.cjs').carriedEnvironment(process.env);
  require('./sockets.cjs').installSockets(settings);
  require('./answers.cjs').installAnswers();
  require('./fetch.cjs').installFetch();
  require('./processes.cjs').installProcesses(carried);
  require('./datagrams.cjs').installDatagrams(settings);
  require('./workers.cjs').installWorkers(carried);
  // Clients with a proxy support of their own go to the proxy by themselves, which judges them like everybody else; but
  // what this process may not reach without a policy, the proxy hears from the connections that are made here.
  if (settings.policyUnreadable) for (const name of PROXY_VARIABLES) delete process.env[name];
  // `import { Worker } from 'node:worker_threads'` sees what was changed.
  require('node:module').syncBuiltinESMExports();
}
