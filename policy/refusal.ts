// The refusal record (2.1) and how clients see it (7.1). A refusal is a value; its words, missing side and
// link come from its rule's row in rules.ts.

import type { RuleName } from './rules.ts';
import type { DeclaredBy } from './run.ts';

export type Capability =
  | 'network.egress'
  | 'network.services'
  | 'network.ownLoopback'
  | 'network.host'
  | 'files.read'
  | 'files.persist';

export type Missing = 'declaration' | 'grant' | 'transport' | 'twin';

/** Fields, order and constants as in 2.1. */
export type RefusalRecord = {
  readonly kind: 'wrld-world-refusal';
  readonly version: 1;
  readonly capability: Capability;
  readonly target: string;
  readonly missing: Missing;
  readonly rule: RuleName;
  readonly reason: string;
  readonly grantField?: string;
  readonly declaredBy?: DeclaredBy;
  readonly see: string;
};
