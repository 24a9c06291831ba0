// How this process's memory is collected; imported before anything is allocated. Bodies pass through in buffers
// outside V8's heap. Counted against the small heap's own limit they have it marked as a whole every few
// megabytes, a third of a large body's CPU; counted in a limit for both, buffers go with the cheap collections
// of what is young. A flag that this V8 does not know is ignored, with a warning.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--external-memory-accounted-in-global-limit');
