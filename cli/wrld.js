#!/usr/bin/env node
// The `wrld` on a user's PATH. Plain JavaScript that any Node from 18 on can run: what comes after it needs a
// newer Node (native TypeScript, node:sqlite), which wrld brings along, so this starts itself again on that one.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants, homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** package.json `engines`. */
const NODE_MIN = [24, 12];

const here = dirname(fileURLToPath(import.meta.url));
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) {
  // Only ever a matter of speed, and in no folder that others may write to: what lies there is run.
  module.enableCompileCache?.(compileCache());
  await import('./main.ts');
} else {
  const newer = ownNode();
  if (newer === null) {
    process.stderr.write(
      `wrld: needs Node ${NODE_MIN.join('.')} or newer, and this is ${process.versions.node}.\n` +
        'Its own Node is not installed either: run npm ci in the folder wrld is in (without --omit=optional),\n' +
        'or start wrld with a newer Node.\n',
    );
    process.exitCode = 1;
  } else {
    startAgain(newer);
  }
}

/** Where this user's programs keep what can be made again. */
function compileCache() {
  const { XDG_CACHE_HOME } = process.env;
  const mac = process.platform === 'darwin';
  const caches = XDG_CACHE_HOME || join(homedir(), ...(mac ? ['Library', 'Caches'] : ['.cache']));
  return join(caches, 'wrld', 'compiled');
}

/** The Node that came with wrld: in its own node_modules, or in that of the project it is installed in. */
function ownNode() {
  const name = process.platform === 'win32' ? 'node.cmd' : 'node';
  for (let folder = dirname(here); ; folder = dirname(folder)) {
    const node = join(folder, 'node_modules', '.bin', name);
    if (existsSync(node)) return node;
    if (dirname(folder) === folder) return null;
  }
}

/** The same call on another Node; its signals and its exit code are ours. */
function startAgain(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
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
