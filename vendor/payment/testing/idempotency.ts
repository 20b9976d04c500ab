/**
 * Idempotency keys as the API keeps them: the first answer under a key is the answer of every call with it, also when
 * it was an error, until the key is forgotten.
 */
import { ApiError, invalid } from './errors.ts';

export interface StoredResponse {
  status: number;
  body: unknown;
}

interface Kept {
  fingerprint: string;
  /** Null while the first call is worked on. */
  answer: StoredResponse | null;
}

export class IdempotencyKeys {
  readonly #kept = new Map<string, Kept>();

  /** The answer that is kept; null for a key that is new, and taken by that. @throws ApiError (400, 409) */
  take(key: string, fingerprint: string): StoredResponse | null {
    const kept = this.#kept.get(key);
    if (!kept) {
      this.#kept.set(key, { fingerprint, answer: null });
      return null;
    }
    if (kept.fingerprint !== fingerprint) {
      throw new ApiError(400, {
        type: 'idempotency_error',
        message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      });
    }
    if (!kept.answer)
      throw invalid('Another request with this key is in progress.', 'idempotency_key_in_use', undefined, 409);
    return kept.answer;
  }

  keep(key: string, answer: StoredResponse): void {
    const kept = this.#kept.get(key);
    if (kept) kept.answer = answer;
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }

  /** As after a day. */
  forgetAll(): void {
    this.#kept.clear();
  }
}
