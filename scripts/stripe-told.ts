// Which of the vendor's events the modelled operations tell of: those whose names stand in the twin's own source.
import { readdirSync, readFileSync } from 'node:fs';
import { VENDOR_EVENTS } from '../twins/stripe/api/vendor.generated.ts';

const SOURCE: URL = new URL('../twins/stripe/', import.meta.url);
/** Thin events of the second version of the API, which its declarations list apart. */
const THIN = ['v1.billing.meter.error_report_triggered', 'v1.billing.meter.no_meter_found'];
const THIN_NAMES = /^v2\.core\.(account|account_person|event_destination)[[.]/;
/** Told of under a name that is put together. */
const EXTRA = ['payment_intent.requires_action'];

export async function makeStripeTold(): Promise<string> {
  const known = new Set([...VENDOR_EVENTS, ...THIN, ...EXTRA]);
  const told = new Set<string>();
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.generated.ts')) continue;
    const source = readFileSync(new URL(file.replaceAll('\\', '/'), SOURCE), 'utf8');
    for (const [, name = ''] of source.matchAll(/'([a-z0-9_]+(?:\.[a-z0-9_]+|\[[a-z_.]+\])+)'/g)) {
      const thin =
        THIN_NAMES.test(name) &&
        /\.(closed|created|deleted|updated|ping|capability_status_updated)$/.test(name);
      if (known.has(name) || thin) told.add(name);
    }
  }
  const lines = [...told].sort().map(name => `  '${name}',`);
  return (
    "// Generated from the twin's source by `npm run generate`. Do not edit.\n" +
    `export const TOLD_EVENTS: readonly string[] = [\n${lines.join('\n')}\n];\n`
  );
}
