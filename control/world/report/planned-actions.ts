// What a deploy would ask of each vendor, laid out to be read: the requests of a run of entries, with the names of what they
// are about in the place of ids that the vendor does not know yet.
import { parseJson } from '../../../policy/json-text.ts';
import type { RealVendor } from '../../../twins/kit/real-vendor.ts';
import { filled } from '../changesets/actions.ts';
import type { Action, Ref } from '../changesets/changeset.ts';
import { REPORT_VALUE_CHARS_MAX } from '../limits.ts';
import type { Entry } from '../log/entry.ts';
import { bounded, type FieldChanges, fieldsSent, nameOf, shown } from './fields.ts';

/** In its texts `{customer cus_1}` stands for the id that the vendor will give to a record that is made here. */
export type PlannedAction = FieldChanges & {
  readonly actionId: string;
  readonly twin: string;
  readonly kind: Action['kind'];
  readonly target: { readonly type: string; readonly id: string; readonly name: string | null } | null;
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  /** A body that is neither a form nor JSON. */
  readonly text?: string;
  readonly blob?: { readonly sha256: string; readonly bytes: number };
  readonly entries: readonly string[];
  readonly dependsOn: readonly string[];
  /** Why a deploy would skip it; null where it would not. */
  readonly skipped: string | null;
};

/** `entry`: the one that the action was made of. */
export const plannedAction = (
  { actionId, service, kind, target, request, entries, dependsOn }: Action,
  entry: Entry | undefined,
  real: RealVendor | undefined,
): PlannedAction => {
  const { method, headers = {}, blob } = request;
  const path = filled(request.path, placeOf);
  const sent = filled(request.body ?? [], placeOf);
  const about = entry?.changes.find(({ type, id }) => type === target?.type && id === target?.id);
  const name = nameOf(about?.after) ?? nameOf(about?.before);
  return {
    actionId,
    twin: service,
    kind,
    target: target === null ? null : { ...target, name },
    method,
    path,
    ...(request.query === undefined ? {} : { query: filled(request.query, placeOf) }),
    ...bodyOf(sent, headers['content-type'] ?? ''),
    ...(blob === undefined ? {} : { blob }),
    entries,
    dependsOn,
    skipped: whySkipped(real, { method, path }),
  };
};

const placeOf = ({ type, id }: Ref['$ref']): string => `{${type} ${id}}`;

const whySkipped = (
  real: RealVendor | undefined,
  request: { readonly method: string; readonly path: string },
): string | null => {
  if (real?.deploys === undefined) return 'this twin knows no way to ask its vendor';
  return real.deploys.unable(request);
};

const bodyOf = (text: string, type: string): FieldChanges & { readonly text?: string } => {
  if (text === '') return bounded([]);
  if (type.startsWith('application/x-www-form-urlencoded'))
    return bounded(
      [...new URLSearchParams(text)].map(([field, value]) => ({ field, after: shown(field, value) })),
    );
  const read = /^application\/(?:[\w.+-]+\+)?json\b/.test(type) ? parseJson(text) : null;
  if (read?.ok === true) return fieldsSent(read.value);
  const cut = text.length > REPORT_VALUE_CHARS_MAX ? `${text.slice(0, REPORT_VALUE_CHARS_MAX)}…` : text;
  return { ...bounded([]), text: cut };
};
