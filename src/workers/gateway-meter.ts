/** Gateway meter: what the gateway counts about the orders of the window. */
import type { BreakerTransition, GatewayReport } from '../harness/gateway-plan.ts';
import type { PolicyEvent } from '../patterns/events.ts';

export class GatewayMeter {
  /** Orders inside the gateway, of the window or not. */
  inFlight = 0;
  private fromMs = Infinity;
  private toMs = Infinity;
  /** Orders of the window: an attempt counts for them whenever it is made. */
  private readonly measured = new WeakSet();
  private orders = 0;
  private attempts = 0;
  private readonly events: { [Type in PolicyEvent['type']]?: number } = {};
  private readonly transitions: BreakerTransition[] = [];

  setWindow(fromMs: number, toMs: number): void {
    this.fromMs = fromMs;
    this.toMs = toMs;
  }

  endWindow(atMs: number): void {
    this.toMs = Math.min(this.toMs, atMs);
  }

  orderArrived(order: object, nowMs: number): void {
    this.inFlight += 1;
    if (!this.isInWindow(nowMs)) return;
    this.measured.add(order);
    this.orders += 1;
  }

  orderEnded(): void {
    this.inFlight -= 1;
  }

  attempt(order: object): void {
    if (this.measured.has(order)) this.attempts += 1;
  }

  policyEvent(event: PolicyEvent): void {
    if (event.type === 'breaker-transition') {
      this.transitions.push({ atMs: event.atMs, from: event.from, to: event.to });
    }
    if (this.isInWindow(event.atMs)) this.events[event.type] = (this.events[event.type] ?? 0) + 1;
  }

  report(): Pick<GatewayReport, 'orders' | 'attempts' | 'events' | 'transitions'> {
    return {
      orders: this.orders,
      attempts: this.attempts,
      events: this.events,
      transitions: this.transitions,
    };
  }

  private isInWindow(atMs: number): boolean {
    return atMs >= this.fromMs && atMs < this.toMs;
  }
}
