// What is said of a line of somebody's file: that it was not understood, and what comes of that.

/** `file` as a person would name it from where the command was given; `line` is 1-based. */
export type Place = { readonly file: string; readonly line: number };

export type Note = Place & { readonly what: string };

/** The file cannot be used as it is: the whole is refused, with the place. */
export class Unreadable extends Error {
  readonly place: Place;

  constructor(place: Place, what: string) {
    super(`${place.file}:${place.line}: ${what}`);
    this.name = 'Unreadable';
    this.place = place;
  }
}
