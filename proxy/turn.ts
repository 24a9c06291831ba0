// What one turn of the event loop has to write goes out at its end, after all that it had to read: reading and
// writing each run in one piece, and a woken peer finds more than one thing to do. Costs a tenth less a request.

export type Waiting = {
  /** Called once, at the turn's end. */
  turnEnds(): void;
};

/** How often a turn is looked at while hardly anything is going on. Writes. */
const LOOKED_AT_EVERY = 16;

let waiting: Waiting[] = [];
/** The other list, empty: what is added while one is worked off belongs to the next turn. */
let spare: Waiting[] = [];

/** The last turn that was looked at had more than one thing to write. */
let crowded = false;
let writes = 0;

/**
 * For what is whole and ready to go. A turn that has nothing else to write would gain nothing by waiting for its
 * end, which costs a single client a tenth more a request: it goes at once, until the turns are crowded.
 */
export function soon(one: Waiting): void {
  writes = (writes + 1) % LOOKED_AT_EVERY;
  if (crowded || writes === 0) atTurnEnd(one);
  else one.turnEnds();
}

export function atTurnEnd(one: Waiting): void {
  if (waiting.push(one) === 1) setImmediate(endTurn);
}

function endTurn(): void {
  const all = waiting;
  waiting = spare;
  crowded = all.length > 1;
  for (let nth = 0; nth < all.length; nth++) all[nth]!.turnEnds();
  all.length = 0;
  spare = all;
}
