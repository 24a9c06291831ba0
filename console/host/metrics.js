// What the console reads of the host's metrics, which are Prometheus' text.

/**
 * @typedef {{ numbers: ReadonlyMap<string, number>; requests: ReadonlyMap<string, { all: number; failed: number }> }} Metrics
 *   `numbers` by name without its prefix; `requests` by world
 */

const PREFIX = 'wrld_host_';
const OF_A_WORLD = /^world_requests_total\{world="([^"]*)",class="([^"]*)"(?:,shard="\d+")?\} (\d+)$/;
/** Those of a host in several processes are summed up. */
const NUMBER = /^([a-z_]+)(?:\{shard="[^"]*"\})? (\S+)$/;

/** @param {string} text @returns {Metrics} */
export function readMetrics(text) {
  const numbers = new Map();
  /** @type {Map<string, { all: number; failed: number }>} */
  const requests = new Map();
  for (const line of text.split('\n')) {
    if (!line.startsWith(PREFIX)) continue;
    const row = line.slice(PREFIX.length);
    const [, world, status, count] = OF_A_WORLD.exec(row) ?? [];
    if (world === undefined) {
      const [, name, value] = NUMBER.exec(row) ?? [];
      if (name !== undefined) numbers.set(name, (numbers.get(name) ?? 0) + Number(value));
      continue;
    }
    const { all, failed } = requests.get(world) ?? { all: 0, failed: 0 };
    const bad = status === '5xx' || status === 'cut';
    requests.set(world, { all: all + Number(count), failed: failed + (bad ? Number(count) : 0) });
  }
  return { numbers, requests };
}
