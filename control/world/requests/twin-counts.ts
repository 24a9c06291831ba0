// What is counted of one twin: all of it, and by route.
import { Tally } from './tally.ts';

export class TwinCounts {
  readonly all = new Tally();
  readonly routes = new Map<string, Tally>();
  readonly #routesMax: number;

  /** Of more routes those that come first are counted apart; all are counted in `all`. */
  constructor(routesMax: number = Number.POSITIVE_INFINITY) {
    this.#routesMax = routesMax;
  }

  count(route: string, status: number, us: number, unmatched: boolean): void {
    this.all.count(status, us, unmatched);
    this.#tally(route)?.count(status, us, unmatched);
  }

  merge(other: TwinCounts): void {
    this.all.merge(other.all);
    for (const [route, tally] of other.routes) this.#tally(route)?.merge(tally);
  }

  /** Adds what the text of another one says. */
  read(text: string): void {
    for (const [route, numbers] of Object.entries(JSON.parse(text) as Kept)) {
      if (route === ALL) this.all.add(numbers);
      else this.#tally(route)?.add(numbers);
    }
  }

  /** As it is kept: by route, the numbers of its tally. */
  get text(): string {
    const routes = [...this.routes].map(([route, { numbers }]) => [route, numbers] as const);
    return JSON.stringify(Object.fromEntries([[ALL, this.all.numbers] as const, ...routes]));
  }

  #tally(route: string): Tally | undefined {
    let tally = this.routes.get(route);
    if (tally === undefined && this.routes.size < this.#routesMax)
      this.routes.set(route, (tally = new Tally()));
    return tally;
  }
}

type Kept = { readonly [route: string]: readonly number[] };

/** No route has no name. */
const ALL = '';
