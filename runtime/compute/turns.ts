/**
 * Whose turn it is: limits how many tasks run at the same time, how many of these are one tenant's, and how many of a
 * tenant's wait. Tenants take turns, so that one with many tasks delays another's by one task and not by all.
 */
export interface TurnsOptions {
  /** Tasks that run at the same time. */
  slots: number;
  /** Those of one tenant. Default: all but one, so that a tenant never holds all slots. */
  perTenant?: number;
  /** Tasks of one tenant that wait. */
  waiting: number;
}

export class Turns {
  readonly #slots: number;
  readonly #perTenant: number;
  readonly #maxWaiting: number;
  /** By tenant; the one whose turn is next is first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor({ slots, perTenant = Math.max(1, slots - 1), waiting }: TurnsOptions) {
    this.#slots = slots;
    this.#perTenant = perTenant;
    this.#maxWaiting = waiting;
  }

  /**
   * Runs a task when it is its turn.
   * @param full the error while too many tasks of the tenant wait
   * @param waiting how many are too many for this one, if fewer than for others
   */
  async run<T>(tenantId: string, full: () => Error, task: () => Promise<T>, waiting = this.#maxWaiting): Promise<T> {
    if (this.#hasSlot(tenantId)) this.#take(tenantId);
    else await this.#wait(tenantId, full, waiting);
    try {
      return await task();
    } finally {
      this.#release(tenantId);
    }
  }

  #hasSlot(tenantId: string): boolean {
    return this.#total < this.#slots && (this.#running.get(tenantId) ?? 0) < this.#perTenant;
  }

  #take(tenantId: string): void {
    this.#total++;
    this.#running.set(tenantId, (this.#running.get(tenantId) ?? 0) + 1);
  }

  /** Resolves when the task has got a slot. */
  #wait(tenantId: string, full: () => Error, waiting: number): Promise<void> {
    const queue = this.#waiting.get(tenantId) ?? [];
    if (queue.length >= waiting) throw full();
    this.#waiting.set(tenantId, queue);
    return new Promise((resolve) => queue.push(resolve));
  }

  #release(tenantId: string): void {
    this.#total--;
    const left = (this.#running.get(tenantId) as number) - 1;
    if (left > 0) this.#running.set(tenantId, left);
    else this.#running.delete(tenantId);
    this.#startWaiting();
  }

  #startWaiting(): void {
    for (const [tenantId, queue] of this.#waiting) {
      if (this.#total >= this.#slots) return;
      if (!this.#hasSlot(tenantId)) continue;
      const start = queue.shift();
      this.#waiting.delete(tenantId);
      if (queue.length > 0) this.#waiting.set(tenantId, queue);
      this.#take(tenantId);
      start?.();
    }
  }
}
