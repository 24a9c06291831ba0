// How many files and connections the system lets a process have open at once (`ulimit -n`). Where they run out, nobody
// can be told why his connection was cut; so whoever listens lets in only as many as there is room for.

type UserLimits = { readonly open_files?: { readonly soft: number | 'unlimited' } };

/** Infinity where the system sets no bound. */
export function descriptorsMax(): number {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  // It would look up every interface otherwise.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { readonly userLimits?: UserLimits };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
