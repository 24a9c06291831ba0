// The suites of ports that no host has yet, against honest stand-ins: so that the suites themselves are proven.
import t from 'tap';
import { runContract } from '../kit/run-contract.ts';
import { standInSealer } from '../kit/stand-in-sealer.ts';
import { SEALER_CONTRACT } from './sealer.ts';

runContract(t, SEALER_CONTRACT, () => {
  const own = standInSealer();
  return { ...own, stranger: standInSealer().sealer };
});
