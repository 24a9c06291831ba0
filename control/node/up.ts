// `.wrld/run/up.json`: where a world that is up is reached, for the commands that come after the one that started it.
// The file is there once everything that it names answers, and is replaced whole when something of it changes.

export type Up = {
  readonly baseUrl: string;
  readonly worldUrl: string;
  readonly caFile: string;
  readonly pid: number;
  readonly sandbox: boolean;
  /** Up for one `wrld world run`, and gone when that ends. */
  readonly forRun: boolean;
} & UpProxy;

type UpProxy =
  /** `proxyPid`: 0 while the proxy is being started again. `runsSocket`: where contained runs reach it. */
  | { readonly proxyUrl: string; readonly proxyPid: number; readonly runsSocket: string | null }
  /** Of control alone, without a proxy (the plain serve command). */
  | { readonly proxyUrl: null; readonly proxyPid: null; readonly runsSocket: null };

/** Null for what is no such file. */
export function parseUp(text: string): Up | null {
  try {
    const read = JSON.parse(text) as Partial<Up>;
    const { baseUrl, worldUrl, proxyUrl, caFile, pid, proxyPid, runsSocket, sandbox, forRun } = read;
    if (!baseUrl || !worldUrl || !caFile || pid === undefined || !Number.isInteger(pid)) return null;
    return {
      baseUrl,
      worldUrl,
      caFile,
      pid,
      ...(proxyUrl
        ? { proxyUrl, proxyPid: proxyPid ?? 0, runsSocket: runsSocket ?? null }
        : { proxyUrl: null, proxyPid: null, runsSocket: null }),
      sandbox: sandbox === true,
      forRun: forRun === true,
    };
  } catch {
    return null;
  }
}
