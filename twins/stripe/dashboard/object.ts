// An object's page: what is to be said of it, what can be done with it, what belongs to it, what happened to it, and the
// object as the API answers it.
import { type Html, html } from '../../kit/html.ts';
import type { Reply } from '../../kit/reply.ts';
import { find } from '../api/act.ts';
import { StripeRefusal } from '../api/errors.ts';
import { viewOf } from '../api/view.ts';
import type { RecordName, Records } from '../records.ts';
import { framed } from './frame.ts';
import { happened } from './happened.ts';
import type { Deed, Kind } from './kind.ts';
import { onceField, seeOther, taken, takenBefore } from './once.ts';
import { operate } from './operate.ts';
import { listed, metadataOf } from './table.ts';
import type { Visit } from './visit.ts';

export function objectPage<Name extends RecordName>(visit: Visit, kind: Kind<Name>, id: string): Reply {
  const held = find(visit.act, kind.type, id);
  return held === undefined ? none(visit, kind, id) : shown(visit, kind, held, null, 200);
}

/** Does what a form asks for, and shows the object as it is then. */
export function done<Name extends RecordName>(visit: Visit, kind: Kind<Name>, id: string): Reply {
  const { act, form } = visit;
  const writes = act.tx.writes;
  const held = find(act, kind.type, id);
  if (held === undefined) return none(visit, kind, id);
  const before = takenBefore(visit);
  if (before !== null) return seeOther(before);
  const deed = kind.deeds?.find(({ name }) => name === form.get('do'));
  if (deed === undefined || !deed.when(held, visit)) {
    return shown(visit, kind, held, 'This cannot be done any more: see how it stands now.', 409);
  }
  try {
    const does = deed.does(held, form, visit);
    if (typeof does === 'function') does();
    else operate(act, does);
    // The page by its own name: a reload repeats nothing.
    const to = `${visit.base}${kind.path}/${encodeURIComponent(id)}`;
    taken(visit, to);
    return seeOther(to);
  } catch (thrown) {
    // A card that declines is an outcome, and what it wrote stays.
    if (!(thrown instanceof StripeRefusal) || (act.tx.writes > writes && thrown.status !== 402)) throw thrown;
    return shown(visit, kind, find(act, kind.type, id) ?? held, thrown.message, thrown.status);
  }
}

function none<Name extends RecordName>(visit: Visit, { path, title, noun }: Kind<Name>, id: string): Reply {
  const body = html`<p>There is no ${noun} <code>${id}</code> in this world.</p>
<p><a href="${visit.base}${path}">${title}</a></p>`;
  return framed(visit, { title: 'Not found', at: path, body, status: 404 });
}

function shown<Name extends RecordName>(
  visit: Visit,
  kind: Kind<Name>,
  held: Records[Name],
  error: string | null,
  status: number,
): Reply {
  const { act, base, writes } = visit;
  const open = writes ? (kind.deeds ?? []).filter(deed => deed.when(held, visit)) : [];
  const view = viewOf(act, kind.type, held);
  const body = html`<p><a href="${base}${kind.path}">${kind.title}</a></p>
<div class="card">${listed([...kind.facts(visit, held), ['Id', html`<code>${held.id}</code>`]])}</div>
${open.length === 0 ? null : html`<h2>Actions</h2><div class="deeds">${open.map(deed => formOf(deed, held, visit))}</div>`}
${metadataOf(view['metadata'] as { readonly [name: string]: string } | null)}
${kind.related?.(visit, held) ?? null}
${kind.type === 'event' ? null : happened(visit, kind.type, held.id)}
<h2>As the API answers it</h2>
<details><summary>JSON of <code>${held.id}</code></summary><pre>${JSON.stringify(view, null, 2)}</pre></details>`;
  return framed(visit, { title: kind.heading(held), at: kind.path, body, status, error });
}

function formOf<Held>({ name, label, about, fields }: Deed<Held>, held: Held, visit: Visit): Html {
  return html`<details><summary>${label}</summary><form method="post" class="deed"><p>${about}</p>
<input type="hidden" name="do" value="${name}">${onceField(visit.act)}${fields?.(held, visit) ?? null}
<button type="submit">${label}</button></form></details>`;
}
