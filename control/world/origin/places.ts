// Places in the log that move when this world's own entries follow the origin's.
type Moved = { readonly twin: string; readonly from: number; readonly to: number };

/** `<twin>:<position>` as it is called afterwards. */
export const shiftPlaces = (place: string | null, moves: readonly Moved[]): string | null => {
  if (place === null) return null;
  const colon = place.lastIndexOf(':');
  const position = Number(place.slice(colon + 1));
  const move = moves.find(({ twin }) => twin === place.slice(0, colon));
  if (move === undefined || !(position > move.from)) return place;
  return `${move.twin}:${position + move.to - move.from}`;
};
