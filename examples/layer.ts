// A layer of your own: `npx tsx src/run.ts --pattern baseline,./examples/layer.ts`.
// It sheds what comes while too much is under way, and so bounds what waits at a service that hangs.
import { failed, type Layer } from 'wavetank';

const underWayMax = 50;

const shedding: Layer = (next) => {
  let underWay = 0;
  return async (request, call) => {
    if (underWay >= underWayMax) return failed('shed');
    underWay += 1;
    try {
      return await next(request, call);
    } finally {
      underWay -= 1;
    }
  };
};

export default shedding;
