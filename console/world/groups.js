// What hangs together: a request and what the app did in answer by their trace, a webhook with the entry that caused it.

/**
 * @typedef {{ id: string; kind: string; trace?: string; cause?: string; delivery?: any }} Told
 * @typedef {{ line: any; caused: any[]; webhooks: any[] }} Group
 */

/**
 * Newest first, by the line that began each; what it caused is oldest first.
 *
 * @param {readonly any[]} lines newest first
 * @returns {Group[]}
 */
export function grouped(lines) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  /** @type {Map<string, Group>} */
  const byTrace = new Map();
  const groupOf = (/** @type {any} */ line) =>
    (line.delivery && groups.get(line.cause)) || (line.trace && byTrace.get(line.trace)) || undefined;
  for (const line of [...lines].reverse()) {
    const group = groupOf(line);
    if (group === undefined) {
      const begun = { line, caused: [], webhooks: [] };
      groups.set(line.id, begun);
      // What an attempt at a webhook is answered with is no beginning of what its entry began.
      if (line.trace && !line.delivery) byTrace.set(line.trace, begun);
    } else {
      (line.delivery ? group.webhooks : group.caused).push(line);
      groups.set(line.id, group);
    }
  }
  return [...new Set(groups.values())].reverse();
}

/** `3 webhooks, 1 failed`, by the last attempt at each. @param {readonly any[]} webhooks */
export function webhookText(webhooks) {
  const last = new Map(webhooks.map(({ delivery, kind }) => [delivery.id, kind]));
  const failed = [...last.values()].filter(kind => kind === 'webhook.failed').length;
  const count = `${last.size} webhook${last.size === 1 ? '' : 's'}`;
  return { text: failed === 0 ? count : `${count}, ${failed} failed`, failed };
}
