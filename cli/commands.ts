// Every command there is, by its words, and where it is: a command's own module is loaded when it is asked for, since
// most of what a call of `wrld` takes is loading code.
import type { Command } from './command.ts';

export type Listed = Pick<Command, 'words' | 'summary'> & { readonly load: () => Promise<Command> };

export const COMMANDS: readonly Listed[] = [
  {
    words: ['world', 'init'],
    summary: 'make a world in this folder',
    load: async () => (await import('./commands/init.ts')).worldInit,
  },
  {
    words: ['world', 'up'],
    summary: 'start the world in the foreground, for many commands',
    load: async () => (await import('./commands/up.ts')).worldUp,
  },
  {
    words: ['world', 'run'],
    summary: 'run a command in the world',
    load: async () => (await import('./commands/run.ts')).worldRun,
  },
  {
    words: ['world', 'test'],
    summary: 'a world for a test suite, in the hands of the program that starts this',
    load: async () => (await import('./commands/test.ts')).worldTest,
  },
  {
    words: ['world', 'browser'],
    summary: 'open a browser in the world',
    load: async () => (await import('./commands/browser.ts')).worldBrowser,
  },
  {
    words: ['world', 'serve'],
    summary: 'serve the world at a URL, with tokens, without a proxy',
    load: async () => (await import('./commands/serve.ts')).worldServe,
  },
  {
    words: ['world', 'attach'],
    summary: 'run a command in a world that is served somewhere',
    load: async () => (await import('./commands/attach.ts')).worldAttach,
  },
  {
    words: ['world', 'status'],
    summary: 'what is up: addresses, clock, twins, config, refusals',
    load: async () => (await import('./commands/status.ts')).worldStatus,
  },
  {
    words: ['world', 'down'],
    summary: 'stop the world that is up in this folder',
    load: async () => (await import('./commands/down.ts')).worldDown,
  },
  {
    words: ['world', 'log'],
    summary: 'one twin’s log, oldest first',
    load: async () => (await import('./commands/log.ts')).worldLog,
  },
  {
    words: ['world', 'timeline'],
    summary: 'what happened in all twins, newest first',
    load: async () => (await import('./commands/log.ts')).worldTimeline,
  },
  {
    words: ['world', 'requests'],
    summary: 'requests to each twin: how many, how fast, what failed',
    load: async () => (await import('./commands/requests.ts')).worldRequests,
  },
  {
    words: ['world', 'clock'],
    summary: 'the world’s clock',
    load: async () => (await import('./commands/clock.ts')).worldClock,
  },
  {
    words: ['world', 'clock', 'set'],
    summary: 'set the clock to an instant; it never moves back',
    load: async () => (await import('./commands/clock.ts')).worldClockSet,
  },
  {
    words: ['world', 'clock', 'advance'],
    summary: 'move a set clock forward; what falls due happens in order',
    load: async () => (await import('./commands/clock.ts')).worldClockAdvance,
  },
  {
    words: ['world', 'branch'],
    summary: 'the world’s branches',
    load: async () => (await import('./commands/branch.ts')).worldBranch,
  },
  {
    words: ['world', 'branch', 'make'],
    summary: 'make a branch: the world as of now or an earlier instant',
    load: async () => (await import('./commands/branch.ts')).worldBranchMake,
  },
  {
    words: ['world', 'branch', 'remove'],
    summary: 'remove a branch, with everything in it',
    load: async () => (await import('./commands/branch.ts')).worldBranchRemove,
  },
  {
    words: ['world', 'diff'],
    summary: 'the world’s own changes since its base',
    load: async () => (await import('./commands/diff.ts')).worldDiff,
  },
  {
    words: ['world', 'reset'],
    summary: 'the world empty again, or as a backup, a branch or an instant has it',
    load: async () => (await import('./commands/reset.ts')).worldReset,
  },
  {
    words: ['world', 'backup'],
    summary: 'all that the world holds in one file, while it goes on',
    load: async () => (await import('./commands/backup.ts')).worldBackup,
  },
  {
    words: ['world', 'restore'],
    summary: 'bring a backup back; what was there is set aside',
    load: async () => (await import('./commands/restore.ts')).worldRestore,
  },
  {
    words: ['world', 'check'],
    summary: 'look through all that the world keeps, or through a backup',
    load: async () => (await import('./commands/check.ts')).worldCheck,
  },
  {
    words: ['world', 'keys'],
    summary: 'the world’s named keys',
    load: async () => (await import('./commands/keys.ts')).worldKeys,
  },
  {
    words: ['world', 'keys', 'make'],
    summary: 'make a key; its secret is shown once',
    load: async () => (await import('./commands/keys.ts')).worldKeysMake,
  },
  {
    words: ['world', 'keys', 'revoke'],
    summary: 'end a key, or every key of a person',
    load: async () => (await import('./commands/keys.ts')).worldKeysRevoke,
  },
  {
    words: ['host'],
    summary: 'serve every bare world under a directory at one URL',
    load: async () => (await import('./commands/host.ts')).host,
  },
  {
    words: ['demo'],
    summary: 'see it work: an app, a Stripe twin, a month in a minute',
    load: async () => (await import('./demo/demo.ts')).demo,
  },
];
