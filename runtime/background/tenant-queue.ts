/**
 * A lane of work for tenants: so many are served side by side, each by one at a time, in the order in which they asked.
 */

export interface TenantQueueOptions {
  /** Tenants served side by side. */
  width: number;
  /** Serves a tenant; true when there is more than it did, for the tenant to be served again after the others. */
  serve(tenantId: string): Promise<boolean>;
  /** Told what `serve` throws; the tenant is served again when it is added again. */
  failed(error: unknown, tenantId: string): void;
}

export class TenantQueue {
  readonly #options: TenantQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #served = new Map<string, Promise<void>>();
  #closed = false;

  constructor(options: TenantQueueOptions) {
    this.#options = options;
  }

  /**
   * Has a tenant served; one that is being served is served once more. Resolves when what is under way for it has ended,
   * at once when it has to wait for others.
   */
  async add(tenantId: string): Promise<void> {
    if (this.#closed) return;
    this.#waiting.add(tenantId);
    this.#begin();
    await this.#served.get(tenantId);
  }

  /** Begins nothing more, and resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#served.values());
  }

  #begin(): void {
    for (const tenantId of this.#waiting) {
      if (this.#closed || this.#served.size >= this.#options.width) return;
      if (this.#served.has(tenantId)) continue;
      this.#waiting.delete(tenantId);
      this.#served.set(tenantId, this.#serve(tenantId));
    }
  }

  async #serve(tenantId: string): Promise<void> {
    const { serve, failed } = this.#options;
    let more = false;
    try {
      more = await serve(tenantId);
    } catch (error) {
      if (!this.#closed) failed(error, tenantId);
    }
    this.#served.delete(tenantId);
    if (more) this.#waiting.add(tenantId);
    this.#begin();
  }
}
