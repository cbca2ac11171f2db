/** Rendezvous: where those who are to begin at the same moment wait for each other. */

export class Rendezvous {
  private missing: number;
  private readonly open: () => void;
  private readonly opened: Promise<void>;
  private readonly limitMs: number;
  private limit: NodeJS.Timeout | undefined;

  /**
   * @param parties How many have to arrive, or leave.
   * @param limitMs How long the first who arrives waits for the others.
   */
  constructor(parties: number, limitMs: number) {
    this.missing = parties;
    this.limitMs = limitMs;
    let open: () => void = () => undefined;
    this.opened = new Promise((resolve) => {
      open = resolve;
    });
    this.open = () => {
      clearTimeout(this.limit);
      open();
    };
  }

  /** Resolves when nobody is missing any more. */
  arrive(): Promise<void> {
    this.limit ??= setTimeout(this.open, this.limitMs);
    this.leave();
    return this.opened;
  }

  /** Nobody has to wait for this one. */
  leave(): void {
    this.missing -= 1;
    if (this.missing <= 0) this.open();
  }
}
