// Rows of one table written by as few statements as their values allow: each has so many bound parameters at most.
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { PARAMETERS_PER_STATEMENT } from '../limits.ts';

export class ManyRows {
  readonly #into: string;
  readonly #columns: number;
  readonly #then: string;
  readonly #row: string;
  readonly #valuesMax: number;
  /** The statement for so many rows, by that number. */
  readonly #texts: string[] = [];

  /**
   * `into` ends with `VALUES`; `then` is what follows the rows (`ON CONFLICT …`). `row` is one of them, with as many marks
   * as `columns` says, where it is more than these.
   */
  constructor(into: string, columns: number, then: string = '', row: string = marks(columns)) {
    this.#into = into;
    this.#columns = columns;
    this.#then = then;
    this.#row = row;
    this.#valuesMax = Math.floor(PARAMETERS_PER_STATEMENT / columns) * columns;
  }

  /** `values`: of all rows, one after the other. */
  write(sql: Pick<Sql, 'run'>, values: readonly SqlValue[]): void {
    if (values.length === 0) return;
    if (values.length <= this.#valuesMax) {
      sql.run(this.#text(values.length / this.#columns), ...values);
      return;
    }
    for (let at = 0; at < values.length; at += this.#valuesMax)
      this.write(sql, values.slice(at, at + this.#valuesMax));
  }

  #text(rows: number): string {
    return (this.#texts[rows] ??= this.#written(rows));
  }

  #written(rows: number): string {
    return `${this.#into} ${Array.from({ length: rows }, () => this.#row).join(', ')} ${this.#then}`;
  }
}

const marks = (columns: number): string => `(${Array.from({ length: columns }, () => '?').join(', ')})`;
