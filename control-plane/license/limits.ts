/**
 * Limits of the holders of valid keys: requests of each licence, and checks of each domain in DNS on request. Counts are in
 * memory, for each process.
 */
import { noRateLimits, RateLimiter, tooManyRequests } from '@carton/runtime/service';

/** Requests a minute of a licence that store something or look something up, such as activations. */
export const changesPerMinute = 120;
/** Other requests a minute of a licence. */
export const readsPerMinute = 1_200;
/** Checks a minute of a domain by a customer; the schedule checks it besides. */
export const checksPerMinute = 10;

export interface LicenseLimits {
  /** Counts a request of a licence. @throws too_many_requests (429) */
  countRequest(licenseId: string, kind: 'read' | 'write'): void;
  /**
   * Counts a check of each domain and returns those that may be checked now. Each customer has counts of his own: one who
   * claims a domain must not keep its owner from proving it.
   * @throws too_many_requests (429) if there are none
   */
  countChecks<Row extends { customerId: string; domain: string }>(rows: readonly Row[]): Row[];
}

/** @param clock returns the milliseconds of a monotonic clock */
export function createLicenseLimits(clock: () => number = () => performance.now()): LicenseLimits {
  const requests = new RateLimiter({ ...noRateLimits, read: readsPerMinute, write: changesPerMinute }, { clock });
  const checks = new RateLimiter({ ...noRateLimits, write: checksPerMinute }, { clock });
  return {
    countRequest(licenseId, kind) {
      const quota = requests.take(kind, licenseId);
      if (quota && !quota.allowed) throw refusal('Too many requests with this licence key.', quota.retryIn);
    },
    countChecks(rows) {
      const quotas = rows.map(({ customerId, domain }) => checks.take('write', [customerId, domain].join(' ')));
      const admitted = rows.filter((_, index) => quotas[index]?.allowed !== false);
      if (rows.length === 0 || admitted.length > 0) return admitted;
      const waits = quotas.map((quota) => quota?.retryIn ?? 0);
      throw refusal('These domains have just been checked.', Math.min(...waits));
    },
  };
}

function refusal(what: string, milliseconds: number) {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return tooManyRequests(`${what} Try again in ${seconds} s.`, { headers: { 'Retry-After': String(seconds) } });
}
