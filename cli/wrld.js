#!/usr/bin/env node
// The `wrld` on a user's PATH. Plain JavaScript that any Node from 18 on can run: what comes after it needs a newer Node
// (node:sqlite; in a checkout, native TypeScript too). A checkout brings one along, and this starts itself again on it;
// the package runs on the user's own.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants, homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
/** A checkout runs its sources, whatever was compiled beside them. */
const isCheckout = existsSync(join(here, 'main.ts'));
/** A module by its place in the repository, of which the package has the compiled one. */
const moduleAt = path =>
  pathToFileURL(isCheckout ? join(here, '..', `${path}.ts`) : join(here, '..', 'dist', `${path}.js`)).href;
/** package.json `engines`; what strips types in a checkout is younger. */
const NODE_MIN = isCheckout ? [24, 12] : [22, 13];

const [major, minor] = process.versions.node.split('.').map(Number);

if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) {
  // Only ever a matter of speed, and in no folder that others may write to: what lies there is run.
  module.enableCompileCache?.(compileCache());
  if (major < 24) withoutSqliteWarning();
  await import(moduleAt('process/own-modules'));
  await import(moduleAt('cli/main'));
} else {
  const newer = process.env.WRLD_NODE || (isCheckout ? ownNode() : null);
  if (newer === null) {
    process.stderr.write(
      `wrld: needs Node ${NODE_MIN.join('.')} or newer, and this is ${process.versions.node}.\n` +
        (isCheckout
          ? 'Its own Node is not installed either: run npm ci in the folder wrld is in (without --omit=optional),\n' +
            'or start wrld with a newer Node.\n'
          : 'Your program can stay on its own: only wrld runs on the newer one. To have it beside, once:\n' +
            '  npm install --prefix ~/.wrld-node node@24\n' +
            '  export WRLD_NODE=~/.wrld-node/node_modules/.bin/node\n'),
    );
    process.exitCode = 1;
  } else {
    startAgain(newer);
  }
}

/** Node 22 says in every process that its SQLite is new. Of all warnings this one alone is left out. */
function withoutSqliteWarning() {
  const emit = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    if (String(warning).startsWith('SQLite is an experimental feature')) return;
    Reflect.apply(emit, process, [warning, ...rest]);
  };
}

/** Where this user's programs keep what can be made again. */
function compileCache() {
  const { XDG_CACHE_HOME } = process.env;
  const mac = process.platform === 'darwin';
  const caches = XDG_CACHE_HOME || join(homedir(), ...(mac ? ['Library', 'Caches'] : ['.cache']));
  return join(caches, 'wrld', 'compiled');
}

/** The Node that a checkout's npm ci brings along. */
function ownNode() {
  const node = join(here, '..', 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  return existsSync(node) ? node : null;
}

/** The socket that systemd has handed to this process, where it is one. */
function handedOver() {
  const { LISTEN_FDS, LISTEN_PID } = process.env;
  return LISTEN_FDS === '1' && LISTEN_PID === String(process.pid) ? [3] : [];
}

/** The same call on another Node; its signals and its exit code are ours. */
function startAgain(node) {
  const handed = handedOver();
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', ...handed],
    env: {
      ...process.env,
      // Should that one be too old itself, it says so.
      WRLD_NODE: '',
      // Its own number is not known yet.
      ...(handed.length > 0 && { LISTEN_PID: `child of ${process.pid}` }),
    },
  });
  // From a terminal the child gets the signal itself, as a member of the foreground group.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', error => {
    process.stderr.write(`wrld: cannot start ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
  });
}
