// What is told of a run when its command has ended: what it did is cut into a changeset, held against the world's checks,
// and laid out as a deploy would perform it. Nothing is deployed.
import type { ChangesetRecord } from '../control/world/changesets/changesets.ts';
import type { PlannedAction } from '../control/world/report/planned-actions.ts';
import { REPORT_FIELDS_SHOWN_MAX, RUN_ACTIONS_SHOWN_MAX } from './limits.ts';
import type { Output } from './output.ts';
import { problemOf } from './reached-world.ts';
import { reportMarkdown } from './report/markdown.ts';
import { plain } from './report/plain-text.ts';
import { many, type ToldReport } from './report/report.ts';
import type { Sink } from './sink.ts';
import { type Answered, type WorldClient, worldClient } from './world-client.ts';

export type Review = {
  /** The message of the changeset; null: nothing is cut. */
  readonly cut: string | null;
  readonly json: Sink | null;
  readonly report: Sink | null;
  /** Whether the run's branch was made for it. */
  readonly isNew: boolean;
};

export type Reviewed = {
  readonly run: string;
  /** `<world>`; null in no branch. */
  readonly branch: string | null;
  /** Of the command. */
  readonly code: number;
  readonly refused: number;
};

type Place = { readonly baseUrl: string; readonly worldUrl: string; readonly token: string };

/** The exit code: the command's own, but where it was content and what was asked besides could not be done. */
export async function reviewRun(
  place: Place,
  { cut, json, report, isNew }: Review,
  run: Reviewed,
  output: Output,
): Promise<number> {
  const tell = (line: string): void => output.error(`${output.ink('cyan', 'wrld:')} ${line}`);
  const client = worldClient(place.baseUrl, place.token);
  const own = (path: string): string => `/-${new URL(place.worldUrl).pathname}/${path}`;
  const told: { changeset: ChangesetRecord | null; report: ToldReport | null; problems: string[] } = {
    changeset: null,
    report: null,
    problems: [],
  };
  const failed = (why: string): void => {
    told.problems.push(why);
    tell(why);
  };
  if (cut !== null) told.changeset = await cutOf(client, own, cut, { tell, failed });
  if (told.changeset !== null) await tellActions(client, own, told.changeset, { tell, failed, output });
  if (json !== null || report !== null) {
    const answered = await client.get(own(`report?since=${run.run}`));
    const why = problemOf(answered);
    if (why !== null || !answered.ok) failed(`no report: ${why}`);
    else told.report = answered.body as ToldReport;
  }
  if (told.report !== null) report?.write(reportMarkdown(told.report));
  json?.write(`${JSON.stringify({ ...run, ...told })}\n`);
  if (run.branch !== null && (isNew || cut !== null)) tellBranch(run.branch, tell);
  return run.code === 0 && told.problems.length > 0 ? 1 : run.code;
}

type Tell = { readonly tell: (line: string) => void; readonly failed: (why: string) => void };

/** Null where there was nothing to cut, or it could not be. */
async function cutOf(
  client: WorldClient,
  own: (path: string) => string,
  message: string,
  { tell, failed }: Tell,
): Promise<ChangesetRecord | null> {
  const answered = await client.send('POST', own('changesets'), { message });
  const why = problemOf(answered);
  if (codeOf(answered) === 'nothing-to-cut') {
    tell('nothing was changed: there is no changeset.');
    return null;
  }
  if (why !== null || !answered.ok) {
    failed(`nothing was cut: ${why}`);
    return null;
  }
  const made = answered.body as ChangesetRecord;
  const place = own(`changesets/${made.name}`);
  const verified = await client.send('POST', `${place}/verify`, undefined, { patient: true });
  // A world that has no checks has no such endpoint.
  const fault = verified.ok && verified.status === 404 ? null : problemOf(verified);
  if (fault !== null) failed(`it could not be verified: ${fault}`);
  const again = await client.get(place);
  const found = again.ok && again.status === 200 ? (again.body as ChangesetRecord) : made;
  tell(`cut ${found.name}: ${many(found.entries, 'entry', 'entries')}`);
  for (const { check, entry, message: said } of found.verification?.failures ?? [])
    tell(`the check ${plain(check)} refuses ${entry}: ${plain(said)}`);
  if (found.verification?.ok === true) tell('the world’s checks accept it.');
  return found;
}

async function tellActions(
  client: WorldClient,
  own: (path: string) => string,
  { name }: ChangesetRecord,
  { tell, failed, output }: Tell & { readonly output: Output },
): Promise<void> {
  const answered = await client.get(own(`report?changeset=${name}`));
  const why = problemOf(answered);
  if (why !== null || !answered.ok) return failed(`what it would do cannot be told: ${why}`);
  const { actions, actionsLeft } = answered.body as ToldReport;
  const count = actions.length + actionsLeft;
  if (count === 0) return tell('a deploy of it would ask nothing of any vendor.');
  const vendors = [...new Set(actions.map(({ twin }) => twin))].join(', ');
  tell(`a deploy of it would ask ${many(count, 'thing')} of ${vendors}; nothing is deployed:`);
  for (const action of actions.slice(0, RUN_ACTIONS_SHOWN_MAX))
    for (const line of actionLines(action, output)) output.error(line);
  const left = count - Math.min(actions.length, RUN_ACTIONS_SHOWN_MAX);
  if (left > 0) output.error(output.ink('dim', `  and ${left} more`));
}

/** Its kind, what it is about, its request; its fields below. */
export function actionLines(action: PlannedAction, { ink }: Pick<Output, 'ink'>): readonly string[] {
  const { actionId, twin, kind, target, method, path, query, fields, fieldsLeft, skipped, text, blob } =
    action;
  const known = target?.name == null ? '' : ` “${plain(target.name)}”`;
  const about = target === null ? '' : ` ${target.type}${known}`;
  const asked = `${method} ${plain(path)}${query === undefined ? '' : `?${plain(query)}`}`;
  const lines = [`  ${actionId}  ${ink('bold', `${twin}: ${kind}${about}`)}  ${asked}`];
  if (skipped !== null) lines.push(`      ${ink('yellow', 'skipped')}: ${plain(skipped)}`);
  for (const { field, after } of fields.slice(0, REPORT_FIELDS_SHOWN_MAX))
    lines.push(`      ${plain(field)}: ${plain(typeof after === 'string' ? after : JSON.stringify(after))}`);
  const more = fields.length + fieldsLeft - Math.min(fields.length, REPORT_FIELDS_SHOWN_MAX);
  if (more > 0) lines.push(ink('dim', `      and ${many(more, 'more field')}`));
  if (text !== undefined) lines.push(`      ${plain(text)}`);
  if (blob !== undefined) lines.push(`      ${blob.bytes} bytes, SHA-256 ${blob.sha256}`);
  return lines;
}

function tellBranch(branch: string, tell: (line: string) => void): void {
  tell(`the branch ${branch} stays. Look: wrld world report --branch ${branch}`);
  tell(
    `go on in it: wrld world run --branch ${branch} -- <command>; remove it: wrld world branch remove ${branch}`,
  );
}

function codeOf(answered: Answered): string | null {
  const { error } = (answered.ok ? (answered.body ?? {}) : {}) as {
    readonly error?: { readonly code?: string };
  };
  return error?.code ?? null;
}
