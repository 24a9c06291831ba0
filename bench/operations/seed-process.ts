// Fills the store of the world in a folder, and says what can be asked of it. Arguments: the folder, the vendor, how
// many records.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { worldPaths } from '../../control/node/paths.ts';
import { ready } from '../child.ts';
import { fill } from './seed.ts';
import { STORIES } from './stories.ts';

const [folder, vendor, records] = process.argv.slice(2) as [string, string, string];
const name = 'bench/world';
mkdirSync(join(folder, '.wrld'), { recursive: true });
writeFileSync(
  join(folder, '.wrld', 'world.json'),
  JSON.stringify({ name, services: { [vendor]: { twin: vendor } } }),
);
const { known } = await fill(STORIES[vendor]!, Number(records), { ...worldPaths(folder), name });
ready({ known });
