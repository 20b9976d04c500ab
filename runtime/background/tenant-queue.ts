/**
 * A queue of tenants with work to do: first in, first out, with several tenants served concurrently but never the same
 * tenant twice at a time.
 */

export interface TenantQueueOptions {
  /** Number of tenants served at the same time. */
  concurrency: number;
  /** Does a tenant's work. Resolves to true if there is more: the tenant then goes to the end of the queue. */
  serve(tenantId: string): Promise<boolean>;
  /** Receives the errors of `serve`; the tenant is not queued again. */
  onError(error: unknown, tenantId: string): void;
}

export class TenantQueue {
  readonly #options: TenantQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #active = new Map<string, Promise<void>>();
  #closed = false;

  constructor(options: TenantQueueOptions) {
    this.#options = options;
  }

  /**
   * Queues a tenant; one that is being served is served once more. Resolves when the work in progress for it has ended,
   * or immediately if it has to wait for others.
   */
  async add(tenantId: string): Promise<void> {
    if (this.#closed) return;
    this.#waiting.add(tenantId);
    this.#startNext();
    await this.#active.get(tenantId);
  }

  /** Starts nothing more, and resolves when the work in progress has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#active.values());
  }

  #startNext(): void {
    for (const tenantId of this.#waiting) {
      if (this.#closed || this.#active.size >= this.#options.concurrency) return;
      if (this.#active.has(tenantId)) continue;
      this.#waiting.delete(tenantId);
      this.#active.set(tenantId, this.#serve(tenantId));
    }
  }

  async #serve(tenantId: string): Promise<void> {
    const { serve, onError } = this.#options;
    let hasMore = false;
    try {
      hasMore = await serve(tenantId);
    } catch (error) {
      if (!this.#closed) onError(error, tenantId);
    }
    this.#active.delete(tenantId);
    if (hasMore) this.#waiting.add(tenantId);
    this.#startNext();
  }
}
