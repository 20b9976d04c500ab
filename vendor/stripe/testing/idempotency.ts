/**
 * Idempotency keys as the API implements them: the first response to a key, an error too, is replayed for every call
 * with it until the key is forgotten.
 */
import { ApiError, invalid } from './errors.ts';

export interface StoredResponse {
  status: number;
  body: unknown;
}

interface StoredKey {
  fingerprint: string;
  /** Null while the first call is in progress. */
  response: StoredResponse | null;
}

export class IdempotencyKeys {
  readonly #keys = new Map<string, StoredKey>();

  /** Returns the stored response; null for a new key, which is claimed. @throws ApiError (400, 409) */
  claim(key: string, fingerprint: string): StoredResponse | null {
    const stored = this.#keys.get(key);
    if (!stored) {
      this.#keys.set(key, { fingerprint, response: null });
      return null;
    }
    if (stored.fingerprint !== fingerprint) {
      throw new ApiError(400, {
        type: 'idempotency_error',
        message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      });
    }
    if (!stored.response)
      throw invalid('Another request with this key is in progress.', 'idempotency_key_in_use', undefined, 409);
    return stored.response;
  }

  store(key: string, response: StoredResponse): void {
    const stored = this.#keys.get(key);
    if (stored) stored.response = response;
  }

  forget(key: string): void {
    this.#keys.delete(key);
  }

  /** As Stripe does after a day. */
  forgetAll(): void {
    this.#keys.clear();
  }
}
