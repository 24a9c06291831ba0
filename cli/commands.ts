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
    words: ['world', 'browser', 'list'],
    summary: 'the world’s browser profiles',
    load: async () => (await import('./commands/browser-profile.ts')).worldBrowserList,
  },
  {
    words: ['world', 'browser', 'show'],
    summary: 'one browser profile: what it is signed in to, and its settings',
    load: async () => (await import('./commands/browser-profile.ts')).worldBrowserShow,
  },
  {
    words: ['world', 'browser', 'set'],
    summary: 'make a browser profile of a file, or replace it',
    load: async () => (await import('./commands/browser-profile.ts')).worldBrowserSet,
  },
  {
    words: ['world', 'browser', 'remove'],
    summary: 'remove a browser profile',
    load: async () => (await import('./commands/browser-profile.ts')).worldBrowserRemove,
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
    words: ['world', 'find'],
    summary: 'the records and entries that hold a text, or are of a type, a kind, a caller',
    load: async () => (await import('./commands/find.ts')).worldFind,
  },
  {
    words: ['world', 'requests'],
    summary: 'requests to each twin: how many, how fast, what failed',
    load: async () => (await import('./commands/requests.ts')).worldRequests,
  },
  {
    words: ['world', 'webhooks'],
    summary: 'the webhooks that the twins sent, newest first, or one with its attempts',
    load: async () => (await import('./commands/webhooks.ts')).worldWebhooks,
  },
  {
    words: ['world', 'webhooks', 'resend'],
    summary: 'send a webhook once more: the same event to the same endpoint',
    load: async () => (await import('./commands/webhooks.ts')).worldWebhooksResend,
  },
  {
    words: ['world', 'report'],
    summary: 'what was done to which vendor, for a pull request',
    load: async () => (await import('./commands/report.ts')).worldReport,
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
    words: ['world', 'changeset'],
    summary: 'the world’s changesets, or one of them',
    load: async () => (await import('./commands/changeset.ts')).worldChangeset,
  },
  {
    words: ['world', 'changeset', 'cut'],
    summary: 'cut every change that is in no changeset yet into one',
    load: async () => (await import('./commands/changeset.ts')).worldChangesetCut,
  },
  {
    words: ['world', 'changeset', 'check'],
    summary: 'the checks that look at every changeset',
    load: async () => (await import('./commands/changeset-check.ts')).worldChangesetCheck,
  },
  {
    words: ['world', 'changeset', 'check', 'set'],
    summary: 'set a check from a file of JavaScript',
    load: async () => (await import('./commands/changeset-check.ts')).worldChangesetCheckSet,
  },
  {
    words: ['world', 'changeset', 'check', 'remove'],
    summary: 'remove a check',
    load: async () => (await import('./commands/changeset-check.ts')).worldChangesetCheckRemove,
  },
  {
    words: ['world', 'origin'],
    summary: 'the world whose history this one shares, and how far it is from it',
    load: async () => (await import('./commands/origin.ts')).worldOrigin,
  },
  {
    words: ['world', 'origin', 'set'],
    summary: 'name the origin, and bring its history in',
    load: async () => (await import('./commands/origin.ts')).worldOriginSet,
  },
  {
    words: ['world', 'origin', 'forget'],
    summary: 'ask the origin no more; the history stays',
    load: async () => (await import('./commands/origin.ts')).worldOriginForget,
  },
  {
    words: ['world', 'pull'],
    summary: 'move this world onto what its origin has',
    load: async () => (await import('./commands/origin.ts')).worldPull,
  },
  {
    words: ['world', 'push'],
    summary: 'push every changeset that the origin has not',
    load: async () => (await import('./commands/origin.ts')).worldPush,
  },
  {
    words: ['world', 'changeset', 'approve'],
    summary: 'sign what a changeset says now',
    load: async () => (await import('./commands/changeset.ts')).worldChangesetApprove,
  },
  {
    words: ['world', 'changeset', 'rules'],
    summary: 'what a changeset takes to be deployed',
    load: async () => (await import('./commands/changeset-rules.ts')).worldChangesetRules,
  },
  {
    words: ['world', 'credential'],
    summary: 'which credentials of real vendors are sealed, and for where',
    load: async () => (await import('./commands/credential.ts')).worldCredential,
  },
  {
    words: ['world', 'credential', 'set'],
    summary: 'seal a vendor’s real credential, typed without being shown or by standard input',
    load: async () => (await import('./commands/credential.ts')).worldCredentialSet,
  },
  {
    words: ['world', 'credential', 'rewrap'],
    summary: 'after the vault’s key was rotated: wrap every credential under its newest version',
    load: async () => (await import('./commands/credential.ts')).worldCredentialRewrap,
  },
  {
    words: ['world', 'link'],
    summary: 'the links: vendors that the world forwards to under a name',
    load: async () => (await import('./commands/link.ts')).worldLink,
  },
  {
    words: ['world', 'link', 'set'],
    summary: 'make a link, or point it elsewhere',
    load: async () => (await import('./commands/link.ts')).worldLinkSet,
  },
  {
    words: ['world', 'link', 'remove'],
    summary: 'remove a link, and what was sealed for it',
    load: async () => (await import('./commands/link.ts')).worldLinkRemove,
  },
  {
    words: ['world', 'root'],
    summary: 'the real vendor behind a twin: where it is, and how far it is copied',
    load: async () => (await import('./commands/root.ts')).worldRoot,
  },
  {
    words: ['world', 'root', 'set'],
    summary: 'put a real vendor behind a twin',
    load: async () => (await import('./commands/root.ts')).worldRootSet,
  },
  {
    words: ['world', 'root', 'clear'],
    summary: 'take the real vendor away from a twin; what was copied stays',
    load: async () => (await import('./commands/root.ts')).worldRootClear,
  },
  {
    words: ['world', 'root', 'take'],
    summary: 'resolve what both the world and a root changed',
    load: async () => (await import('./commands/root.ts')).worldRootTake,
  },
  {
    words: ['world', 'record'],
    summary: 'keep what an app and the real vendor say to each other, for the twin to say again',
    load: async () => (await import('./commands/record.ts')).worldRecord,
  },
  {
    words: ['world', 'refresh'],
    summary: 'copy the real vendor behind a twin now',
    load: async () => (await import('./commands/refresh.ts')).worldRefresh,
  },
  {
    words: ['world', 'changeset', 'show'],
    summary: 'one changeset: what it asks of which vendor, and what became of that',
    load: async () => (await import('./commands/changeset-show.ts')).worldChangesetShow,
  },
  {
    words: ['world', 'changeset', 'diff'],
    summary: 'what a changeset changes, by record and field',
    load: async () => (await import('./commands/changeset-show.ts')).worldChangesetDiff,
  },
  {
    words: ['world', 'changeset', 'verify'],
    summary: 'run the world’s checks over a changeset',
    load: async () => (await import('./commands/changeset-show.ts')).worldChangesetVerify,
  },
  {
    words: ['world', 'changeset', 'push'],
    summary: 'land a branch’s changeset in the world that the branch left',
    load: async () => (await import('./commands/changeset-push.ts')).worldChangesetPush,
  },
  {
    words: ['world', 'changeset', 'deploy'],
    summary: 'do at the real vendors what a changeset says, each request once',
    load: async () => (await import('./commands/changeset-deploy.ts')).worldChangesetDeploy,
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
    words: ['world', 'push-to'],
    summary: 'move the world, with its history and branches, to a host or the edge',
    load: async () => (await import('./commands/push-to.ts')).worldPushTo,
  },
  {
    words: ['world', 'import'],
    summary: 'make a world of a host, an archive or a backup the world of this folder',
    load: async () => (await import('./commands/import.ts')).worldImport,
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
    words: ['image', 'declare'],
    summary: 'what an image declares, by its build file and its compose file',
    load: async () => (await import('./commands/image-declare.ts')).imageDeclare,
  },
  {
    words: ['image', 'run'],
    summary: 'run an image’s command natively, in a sandbox, in the world',
    load: async () => (await import('./commands/image-run.ts')).imageRun,
  },
  {
    words: ['mcp'],
    summary: 'serve the world to a coding agent, by the Model Context Protocol over stdio',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  {
    words: ['host'],
    summary: 'serve every bare world under a directory at one URL',
    load: async () => (await import('./commands/host.ts')).host,
  },
  {
    words: ['host', 'backup'],
    summary: 'a backup of every world of a host, while it serves them',
    load: async () => (await import('./commands/host-backup.ts')).hostBackup,
  },
  {
    words: ['demo'],
    summary: 'see it work: an app, a Stripe twin, a month in a minute',
    load: async () => (await import('./demo/demo.ts')).demo,
  },
  {
    words: ['demo', 'deploy'],
    summary: 'see the way to the real vendor and back: read, check, approve, deploy',
    load: async () => (await import('./demo/deploy.ts')).demoDeploy,
  },
];
