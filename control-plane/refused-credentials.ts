/**
 * Counts credentials that were refused, for the metrics.
 */
import { LabelledCounter, type MetricFamily } from '@carton/runtime/service';

export type CredentialName = 'admin' | 'registry' | 'publisher' | 'hosting' | 'metrics';

/** `unknown`: it is no secret. `ended`: an administrator's, no longer accepted. `misplaced`: it is the secret of another caller. */
export type RefusedReason = 'unknown' | 'ended' | 'misplaced';

export class RefusedCredentials {
  readonly #counter = new LabelledCounter({
    name: 'credentials_refused_total',
    help: 'Secrets that were refused, by what was asked for (`admin`, `registry`, `publisher`, `hosting`, `metrics`) and reason: `unknown`, `ended` (of an administrator that is disabled or has expired, or replaced), `misplaced` (the secret of another caller)',
    labels: ['credential', 'reason'],
  });

  count(credential: CredentialName, reason: RefusedReason): void {
    this.#counter.add({ credential, reason });
  }

  readonly families: readonly MetricFamily[] = [this.#counter.family];
}
