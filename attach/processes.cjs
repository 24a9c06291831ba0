// Child processes: however one is started (spawn, exec, fork, cluster), it is in the world too.
'use strict';

const processes = require('node:child_process');

/** @param {import('./carried-environment.cjs').CarriedEnvironment} carried */
function installProcesses(carried) {
  const { prototype } = processes.ChildProcess;
  const direct = prototype.spawn;
  // Everything that starts a process and does not wait for it comes by here, its environment made up already.
  prototype.spawn = function spawn(options) {
    const pairs = options?.envPairs;
    if (Array.isArray(pairs)) {
      const has = new Map(pairs.map(pair => [pair.slice(0, pair.indexOf('=', 1)), pair]));
      const missing = carried.missingIn(name => has.get(name)?.slice(name.length + 1));
      const replaced = new Set(missing.map(([name]) => name));
      const kept = [...has].filter(([name]) => !replaced.has(name)).map(([, pair]) => pair);
      if (missing.length > 0)
        options.envPairs = [...kept, ...missing.map(([name, value]) => `${name}=${value}`)];
    }
    return Reflect.apply(direct, this, [options]);
  };
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    const sync = processes[name];
    processes[name] = function (...args) {
      return Reflect.apply(sync, this, withEnvironment(args, carried));
    };
    Object.defineProperty(processes[name], 'name', { value: name });
  }
}

/** (command, [arguments], [options]) */
function withEnvironment(args, carried) {
  while (args.length > 1 && args.at(-1) == null) args.pop();
  const at = args.findIndex((each, i) => i > 0 && typeof each === 'object' && !Array.isArray(each));
  const options = at === -1 ? {} : args[at];
  const env = options.env ?? process.env;
  const missing = carried.missingIn(name => env[name]);
  if (missing.length === 0) return args;
  const own = {};
  // As Node reads it: what it inherits too.
  for (const name in env) own[name] = env[name];
  const whole = { ...options, env: Object.assign(own, Object.fromEntries(missing)) };
  return at === -1 ? [...args, whole] : args.map((each, i) => (i === at ? whole : each));
}

module.exports = { installProcesses };
