/** Kill: a service that is killed every so often. */
import type { TargetOptionsOf } from '../../harness/target-options.ts';
import type { Fault } from './fault.ts';

export function kill({ everyMs }: TargetOptionsOf<'kill'>): Fault {
  return { deaths: { firstMs: everyMs, everyMs, frozenMs: 0 } };
}
