// What the run set in this process's environment, kept for whatever it starts: a program that gives its children a
// cleaned environment cleans it of secrets, not of the world.
'use strict';

const { join } = require('node:path');

const REGISTER = join(__dirname, 'register.cjs');

/** Said by what contains the run, which makes no list of what else is set. */
const CONTAINED = 'WRLD_WORLD_CONTAINED';

/** Without a list of its own: what this module itself goes by. */
const NAMES = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'WRLD_WORLD',
  'WRLD_WORLD_TOKEN',
  'WRLD_WORLD_PROXY',
  'WRLD_WORLD_NETWORK_POLICY',
  'WRLD_WORLD_DECLARATION',
  CONTAINED,
];

/** @typedef {{ missingIn(has: (name: string) => string | undefined): [string, string][] }} CarriedEnvironment */

/** @returns {CarriedEnvironment} of the environment as it is now */
function carriedEnvironment(env) {
  const names = env.WRLD_RUN_VARIABLES
    ? [...env.WRLD_RUN_VARIABLES.split(','), 'WRLD_RUN_VARIABLES', 'WRLD_WORLD_DECLARATION', CONTAINED]
    : NAMES;
  const carried = names
    .filter(name => name !== 'NODE_OPTIONS' && env[name] !== undefined)
    .map(name => [name, env[name]]);
  return {
    missingIn(has) {
      const missing = carried.filter(([name]) => has(name) === undefined);
      const options = has('NODE_OPTIONS') ?? '';
      if (!requiresThis(options)) missing.push(['NODE_OPTIONS', `${options} --require ${quoted()}`.trim()]);
      return missing;
    },
  };
}

/** True where a Node that is started with these options loads this module before anything else. */
function requiresThis(options) {
  return options.includes('--require') && options.includes(quoted());
}

/** NODE_OPTIONS splits at spaces, and knows double quotes with backslash escapes. */
function quoted() {
  return /[\s"\\]/.test(REGISTER) ? `"${REGISTER.replace(/["\\]/g, '\\$&')}"` : REGISTER;
}

module.exports = { REGISTER, carriedEnvironment, requiresThis };
