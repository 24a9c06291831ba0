// The events that the products say they tell of.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { VENDOR_EVENTS } from '../../../twins/stripe/api/vendor.generated.ts';
import { EVENTS } from '../../../twins/stripe/events.ts';
import { PRODUCTS } from '../../../twins/stripe/products.ts';

const SOURCE: URL = new URL('../../../twins/stripe/', import.meta.url);
/** Thin events of the second version of the API, which its declarations list apart. */
const THIN =
  /^v2\.core\.(account|account_person|event_destination)[[.].*\b(closed|created|deleted|updated|ping)$/;

t.test('[4.1] every event whose name stands in the source is among those that the manifest promises', t => {
  const known = new Set(VENDOR_EVENTS);
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.generated.ts')) continue;
    const source = readFileSync(new URL(file.replaceAll('\\', '/'), SOURCE), 'utf8');
    for (const [, name = ''] of source.matchAll(/'([a-z0-9_]+(?:\.[a-z0-9_]+|\[[a-z_.]+\])+)'/g)) {
      if (known.has(name) || THIN.test(name)) t.ok(EVENTS.has(name), `${name} of ${file}`);
    }
  }
  t.end();
});

t.test('[4.1] a product names an event once', t => {
  for (const { events } of PRODUCTS) t.equal(new Set(events).size, events.length);
  t.end();
});
