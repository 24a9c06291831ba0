// Worker threads load this module by NODE_OPTIONS, as processes do: a worker that gets an environment or options of its
// own gets it back, and so does one made of a text, for which Node does not run what `--import` names.
'use strict';

const threads = require('node:worker_threads');
const { REGISTER, requiresThis } = require('./carried-environment.cjs');

/** @param {import('./carried-environment.cjs').CarriedEnvironment} carried */
function installWorkers(carried) {
  const loadedByOptions = requiresThis(process.env.NODE_OPTIONS ?? '');
  threads.Worker = new Proxy(threads.Worker, {
    construct(Worker, [file, given = {}], target) {
      const options = { ...given };
      const { env, execArgv } = options;
      let carries = loadedByOptions;
      if (typeof env === 'object' && env !== null) {
        const missing = carried.missingIn(name => env[name]);
        options.env = { ...env, ...Object.fromEntries(missing) };
        carries = true;
      }
      if (carries) return Reflect.construct(Worker, [file, options], target);
      const own = { ...options, execArgv: [...(execArgv ?? inherited()), '--require', REGISTER] };
      try {
        return Reflect.construct(Worker, [file, own], target);
      } catch (error) {
        // What the process inherits to its workers without a word, it does not take when it is said.
        if (error?.code !== 'ERR_WORKER_INVALID_EXEC_ARGV' || execArgv !== undefined) throw error;
        return Reflect.construct(Worker, [file, { ...own, execArgv: ['--require', REGISTER] }], target);
      }
    },
  });
}

/** This process's options, less those of its own program. */
function inherited() {
  const program = process.execArgv.lastIndexOf(process._eval);
  const options = process.execArgv.filter((_, i) => program === -1 || (i !== program && i !== program - 1));
  return options.filter(option => !option.startsWith('--input-type'));
}

module.exports = { installWorkers };
