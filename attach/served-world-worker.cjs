// The thread that starts `wrld-world attach --hold` for served-world.cjs and keeps it: the program's own thread waits,
// and hears of no event meanwhile.
'use strict';

const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { workerData } = require('node:worker_threads');

const COMMAND = join(__dirname, '..', 'cli', 'wrld-world.js');

const { url, env, done, port } = workerData;

function tell(message) {
  port.postMessage(message);
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
}

// Its input is never written to: it ends when this process does, and the command with it.
const holder = spawn(process.execPath, [COMMAND, 'attach', url, '--hold'], { env, stdio: 'pipe' });
let said = '';
let complaint = '';
holder.stdout.setEncoding('utf8').on('data', text => {
  said += text;
  const end = said.indexOf('\n');
  if (end === -1) return;
  holder.stdout.removeAllListeners('data').resume();
  tell({ env: JSON.parse(said.slice(0, end)).env });
});
holder.stderr.setEncoding('utf8').on('data', text => {
  complaint += text;
});
holder.on('error', error => tell({ why: error.message }));
holder.on('close', code =>
  tell({ why: complaint.trim().replace(/^wrld world attach: /, '') || `it ended with ${code}` }),
);
