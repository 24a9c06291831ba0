// A changeset whole, as JSON that is read while it is written (storage.md, Push): however many entries there are, a page of
// them is held.
import { toBase64 } from '../../../twins/kit/base64.ts';
import type { ChangesetRecord, Changesets } from './changesets.ts';

const encoder = new TextEncoder();

/** `Changeset` of twins.md, with the bytes that its entries name: what `POST …/push` takes. */
export async function* bodyText(
  changesets: Changesets,
  { kind, version, name, message, base, owner, cutBy, at, contentHash }: ChangesetRecord,
): AsyncGenerator<Uint8Array> {
  const head = { kind, version, name, message, base, owner, cutBy, at, contentHash };
  const blobs = new Set<string>();
  let comma = '';
  yield encoder.encode(`${JSON.stringify(head).slice(0, -1)},"changes":[`);
  for await (const { entries } of changesets.body(name)) {
    let text = '';
    for (const entry of entries) {
      text += `${comma}${JSON.stringify({ twin: entry.twin, entry })}`;
      comma = ',';
      for (const { op, id } of entry.changes) if (op === 'blob') blobs.add(id);
      if (entry.request?.blob !== undefined) blobs.add(entry.request.blob.sha256);
    }
    yield encoder.encode(text);
  }
  yield encoder.encode('],"actions":[');
  comma = '';
  for await (const { actions } of changesets.body(name)) {
    let text = '';
    for (const action of actions) {
      text += comma + JSON.stringify(action);
      comma = ',';
    }
    yield encoder.encode(text);
  }
  yield encoder.encode(']');
  comma = ',"blobs":{';
  for (const sha256 of blobs) {
    yield encoder.encode(`${comma}"${sha256}":"${toBase64(await changesets.bytes(sha256))}"`);
    comma = ',';
  }
  yield encoder.encode(blobs.size === 0 ? '}\n' : '}}\n');
}
