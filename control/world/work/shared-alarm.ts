// A world has one alarm and several who wait for theirs: the host is told the earliest.
import type { Alarms } from '../../ports/alarms.ts';

type Share = { at: number | null; wake: () => void };

export class SharedAlarm {
  readonly #alarms: Alarms;
  readonly #shares: Share[] = [];
  #set: number | null = null;

  constructor(alarms: Alarms) {
    this.#alarms = alarms;
    alarms.onWake(() => this.#wake());
  }

  /** An alarm of one's own. */
  share(): Alarms {
    const share: Share = { at: null, wake: () => {} };
    this.#shares.push(share);
    return {
      set: at => {
        share.at = at;
        this.#pass();
      },
      onWake: wake => {
        share.wake = wake;
      },
    };
  }

  #earliest(): number | null {
    let earliest: number | null = null;
    for (const { at } of this.#shares) if (at !== null && (earliest === null || at < earliest)) earliest = at;
    return earliest;
  }

  #pass(): void {
    const earliest = this.#earliest();
    if (earliest === this.#set) return;
    this.#set = earliest;
    this.#alarms.set(earliest);
  }

  /** Whoever the alarm was set for, whatever the clock says: it may come late, early or twice. */
  #wake(): void {
    const until = this.#set;
    this.#set = null;
    if (until !== null) {
      for (const share of this.#shares) {
        if (share.at === null || share.at > until) continue;
        share.at = null;
        share.wake();
      }
    }
    this.#pass();
  }
}
