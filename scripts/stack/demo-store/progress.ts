/**
 * What was created in the demo store, by step. It is stored with the account of the owner, so that it is as durable as
 * the store itself: an interrupted filling is resumed, and what the owner has deleted since is not created again.
 */
import type { Call } from './calls.ts';

/** Ids by step, such as `product/linen-shirt`; empty for a step without one. */
type Steps = Record<string, string>;

export class Progress {
  readonly #staff: Call;
  readonly #ownerId: string;
  readonly #metadata: Record<string, unknown>;
  readonly #steps: Steps;

  private constructor(staff: Call, { id, metadata }: { id: string; metadata: Record<string, unknown> }) {
    this.#staff = staff;
    this.#ownerId = id;
    this.#metadata = metadata;
    this.#steps = { ...(metadata.demoStore as Steps | undefined) };
  }

  /** Reads the progress of the store whose owner calls. */
  static async read(staff: Call): Promise<Progress> {
    const { id } = await staff('GET', '/admin/me');
    return new Progress(staff, await staff('GET', `/admin/users/${id}`));
  }

  /** Does a step that was not done before, and records it with the id that it returns. */
  async once(step: string, create: () => Promise<string | null | undefined>): Promise<void> {
    if (step in this.#steps) return;
    this.#steps[step] = (await create()) ?? '';
    await this.#staff('PATCH', `/admin/users/${this.#ownerId}`, {
      metadata: { ...this.#metadata, demoStore: this.#steps },
    });
  }

  /** The id of what a step has created, even if it was deleted since; null without one. */
  idOf(step: string): string | null {
    return this.#steps[step] || null;
  }
}
