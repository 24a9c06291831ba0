// The files of this repository that house rules speak of.
import { globSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

const PARTS = [
  'policy',
  'certs',
  'process',
  'contained',
  'images',
  'proxy',
  'control',
  'edge',
  'twins',
  'attach',
  'cli',
  'console',
  'authoring',
];

/** Source files of the product, relative to the root, generated ones left out. */
export function sourceFiles(): readonly string[] {
  return globSync(`{${PARTS.join(',')}}/**/*.{ts,mjs,cjs,js}`, { cwd: root })
    .filter(file => !/\.generated\.|\.d\.ts$/.test(file))
    .sort();
}
