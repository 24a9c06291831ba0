// The types of all events this twin tells of; what the generic tier tells of besides is the manifest's to add.
import { PRODUCTS } from './products.ts';

export const EVENTS: ReadonlySet<string> = new Set(PRODUCTS.flatMap(({ events }) => events));
