// Refusals of what policy had let by, found when more is known: by what the bytes turn out to be, and by where a
// name leads.
import type { Ask } from '../../policy/ask.ts';
import { targetOf } from '../../policy/decide.ts';
import { type RefusalRecord, refuse } from '../../policy/refusal.ts';
import type { Snapshot } from '../../policy/snapshot.ts';
import { hostField } from './host-field.ts';

/** Bytes that policy would let by unread, were they what they must be to be let by. */
export function refusalUnread(ask: Ask, why: string, snapshot: Snapshot): RefusalRecord {
  return refuse('inspected-transport', { target: targetOf(ask), why }, snapshot.docsUrl, ask.run.declaration);
}

/** A granted name that led to an address of this machine or its own network (bad-input.md, DNS). */
export function refusalInside(ask: Ask, address: string, snapshot: Snapshot): RefusalRecord {
  const about = {
    target: targetOf(ask),
    reason: `${hostField(ask)} is granted, but its name leads to ${address}, an address of this machine or its own network, which no grant of a name covers. Pin the name to that address in runtime.extraHosts if that is meant.`,
    grantField: 'runtime.extraHosts',
  };
  return refuse('not-granted', about, snapshot.docsUrl);
}
