// How many backups of a world stay, as a flag says it.

/** Null where nothing is said, which is all of them; undefined for what is no number of backups. */
export function readKeep(text: string | undefined): number | null | undefined {
  if (text === undefined) return null;
  const keep = Number(text);
  return /^\d{1,6}$/.test(text) && keep > 0 ? keep : undefined;
}
