/** Create fault: the fault of each target, by its name. */
import type { FaultPlan } from '../../harness/target-options.ts';
import { chargeThenDie } from './charge-then-die.ts';
import type { Fault, FaultContext } from './fault.ts';
import { flaky } from './flaky.ts';
import { flap } from './flap.ts';
import { hang } from './hang.ts';
import { kill } from './kill.ts';
import { refuse } from './refuse.ts';
import { slow } from './slow.ts';
import { slowStart } from './slow-start.ts';
import { stall } from './stall.ts';

export function createFault(plan: FaultPlan, context: FaultContext): Fault {
  switch (plan.name) {
    case 'healthy':
    case 'leaky':
      return {};
    case 'slow':
      return slow(plan.options, context);
    case 'flaky':
      return flaky(plan.options, context);
    case 'hang':
      return hang(plan.options, context);
    case 'refuse':
      return refuse(plan.options);
    case 'kill':
      return kill(plan.options);
    case 'stall':
      return stall(plan.options, context);
    case 'charge-then-die':
      return chargeThenDie(plan.options, context);
    case 'flap':
      return flap(plan.options, context);
    case 'slow-start':
      return slowStart(plan.options, context);
  }
}
