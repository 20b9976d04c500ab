/**
 * Counts credentials that were refused, for the metrics.
 */
import { family, type MetricFamily } from '@carton/runtime/service';

export type CredentialName = 'admin' | 'registry' | 'publisher' | 'hosting' | 'metrics';

/** `unknown`: it is no secret. `ended`: an administrator's, no longer accepted. `misplaced`: it is the secret of another caller. */
export type RefusedReason = 'unknown' | 'ended' | 'misplaced';

export class RefusedCredentials {
  readonly #counts = new Map<string, { credential: CredentialName; reason: RefusedReason; value: number }>();

  count(credential: CredentialName, reason: RefusedReason): void {
    const key = `${credential} ${reason}`;
    const { value } = this.#counts.get(key) ?? { value: 0 };
    this.#counts.set(key, { credential, reason, value: value + 1 });
  }

  readonly families: readonly MetricFamily[] = [
    family({
      name: 'credentials_refused_total',
      type: 'counter',
      help: 'Secrets that were refused, by what was asked for (`admin`, `registry`, `publisher`, `hosting`, `metrics`) and reason: `unknown`, `ended` (of an administrator that is disabled or has expired, or replaced), `misplaced` (the secret of another caller)',
      labels: ['credential', 'reason'],
      read: () =>
        [...this.#counts.values()].map(({ value, credential, reason }) => ({ value, labels: { credential, reason } })),
    }),
  ];
}
