/** Something that must hold of every world did not. */
export class Violation extends Error {
  override readonly name = 'Violation';
}
