import t from 'tap';
import { openAlarms } from '../../../control/node/alarms.ts';
import { wallClock } from '../../../control/node/wall-clock.ts';
import { ALARMS_CONTRACT } from '../../contract/alarms.ts';
import { runContract } from '../../kit/run-contract.ts';

// A waiting alarm keeps no process alive; something else has to.
const awake = setInterval(() => {}, 1_000);
t.teardown(() => clearInterval(awake));

runContract(t, ALARMS_CONTRACT, () => ({ alarms: openAlarms(wallClock), now: () => wallClock.now() }));
