// Whether the worlds of this tree take up again what a failing store kept them from noting of their webhooks: those do
// that mark attempts under way, since the fourth version of the schema. Without that a schedule has no faults of the disk.
import { SCHEMA_VERSION } from '../../control/world/store/schema.ts';

export const SURVIVES_FAULTS = SCHEMA_VERSION > 3;
