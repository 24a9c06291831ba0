// Every change of the API that this twin knows of, newest first: the order in which they are undone.
import { BASIL } from './basil.ts';
import { BASIL_INVOICES } from './basil-invoices.ts';
import { BEFORE_BASIL } from './before-basil.ts';
import type { Change } from './change.ts';
import { CLOVER } from './clover.ts';
import { DAHLIA } from './dahlia.ts';
import { ENDIVE } from './endive.ts';

export const CHANGES: readonly Change[] = [
  ...ENDIVE,
  ...DAHLIA,
  ...CLOVER,
  ...BASIL_INVOICES,
  ...BASIL,
  ...BEFORE_BASIL,
];
