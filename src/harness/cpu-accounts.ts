/** CPU accounts: what Linux has written down about the CPU time of a thread, and about what the host took away. */
import { readFileSync } from 'node:fs';

/** CPU time that the calling thread has used, in ms, to the ns; null where the system does not say. */
export function threadCpuMs(): number | null {
  const [runNs] = numbersIn('/proc/thread-self/schedstat');
  return runNs === undefined ? null : runNs / 1e6;
}

/** CPU time of all cores since the machine started, in ticks. */
export interface CpuTicks {
  readonly total: number;
  /** What a hypervisor gave to other machines although this one wanted it. */
  readonly stolen: number;
}

/** Null where the system does not say. */
export function cpuTicks(): CpuTicks | null {
  // cpu user nice system idle iowait irq softirq steal guest guest_nice; guests are counted in user already.
  const ticks = numbersIn('/proc/stat').slice(0, 8);
  const stolen = ticks[7];
  if (stolen === undefined) return null;
  return { total: ticks.reduce((sum, part) => sum + part, 0), stolen };
}

/** Share of the CPU time between two readings that was stolen, 0 to 1; null where it is not known. */
export function stolenShare(before: CpuTicks | null, after: CpuTicks | null): number | null {
  if (before === null || after === null || after.total <= before.total) return null;
  return (after.stolen - before.stolen) / (after.total - before.total);
}

/** The numbers of a file's first line; none where there is no such file. */
function numbersIn(file: string): number[] {
  try {
    const [line = ''] = readFileSync(file, 'utf8').split('\n', 1);
    return line
      .split(/\s+/)
      .filter((word) => /^\d+$/.test(word))
      .map(Number);
  } catch {
    return [];
  }
}
