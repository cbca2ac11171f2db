/** Gateway meter: what the gateway counts about the orders of the window. */
import type { BreakerTransition, GatewayReport } from '../harness/gateway-plan.ts';
import type { PolicyEvent } from '../patterns/events.ts';
import type { PaymentOrder } from '../targets/payment.ts';
import { CrowdMeter } from './crowd-meter.ts';

/** What comes this close together hits the service as one crowd. */
const crowdMs = 5;

type EventCounts = { [Type in PolicyEvent['type']]?: number };

export class GatewayMeter {
  /** Orders inside the gateway, of the window or not. */
  inFlight = 0;
  private fromMs = Infinity;
  private toMs = Infinity;
  /** Orders of the window: an attempt counts for them whenever it is made. */
  private readonly measured = new WeakSet();
  private orders = 0;
  private attempts = 0;
  private readonly events: EventCounts = {};
  private readonly userEvents: EventCounts = {};
  private readonly transitions: BreakerTransition[] = [];
  private readonly healthyAtMs: number[] = [];
  /** Whether the breaker has become half-open and no success has been seen since. */
  private probing = false;
  private readonly attemptsById = new Map<string, number>();
  private readonly countsById: boolean;
  private readonly retries = new CrowdMeter(crowdMs);

  /** @param countsById Whether the attempts of each order are counted too. */
  constructor(countsById: boolean) {
    this.countsById = countsById;
  }

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

  attempt(order: PaymentOrder): void {
    if (this.measured.has(order)) this.attempts += 1;
    if (!this.countsById) return;
    this.attemptsById.set(order.orderId, (this.attemptsById.get(order.orderId) ?? 0) + 1);
  }

  /** The service has confirmed a payment. */
  attemptConfirmed(nowMs: () => number): void {
    if (!this.probing) return;
    this.probing = false;
    this.healthyAtMs.push(nowMs());
  }

  /** Of the door, or of the stack that orders go through. */
  policyEvent(event: PolicyEvent): void {
    if (event.type === 'breaker-transition') {
      this.probing = event.to === 'half-open';
      this.transitions.push({ atMs: event.atMs, from: event.from, to: event.to });
    }
    if (event.type === 'retry' && this.isInWindow(event.atMs)) this.retries.add(event.atMs + event.delayMs);
    this.count(event, this.events);
  }

  /** Of the stack that calls of the user service go through. */
  userPolicyEvent(event: PolicyEvent): void {
    this.count(event, this.userEvents);
  }

  report(): Omit<GatewayReport, 'hasBreaker' | 'loop' | 'stackCostNs' | 'ownFaults'> {
    return {
      orders: this.orders,
      attempts: this.attempts,
      attemptsById: this.attemptsById,
      retryCrowd: this.retries.meanSize(),
      events: this.events,
      userEvents: this.userEvents,
      transitions: this.transitions,
      healthyAtMs: this.healthyAtMs,
    };
  }

  private count({ type, atMs }: PolicyEvent, counts: EventCounts): void {
    if (this.isInWindow(atMs)) counts[type] = (counts[type] ?? 0) + 1;
  }

  private isInWindow(atMs: number): boolean {
    return atMs >= this.fromMs && atMs < this.toMs;
  }
}
