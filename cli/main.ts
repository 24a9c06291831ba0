// `wrld`: what a line of the shell does, in the process that it was typed for. The only place that touches process.
import { dispatch } from './dispatch.ts';
import { openOutput } from './output.ts';

// `wrld … | head` ends this process's interest in its output, not the work: nothing is left to say.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await dispatch(process.argv.slice(2), {
  output: openOutput(process.stdout, process.stderr, process.env),
  folder: process.cwd(),
  env: process.env,
});
