// Properties of fast-check with the examples of the run's seed.
import fc from 'fast-check';
import { SEED } from './seed.ts';

fc.configureGlobal({ seed: SEED });

export { fc };
