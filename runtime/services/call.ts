/**
 * Calls a service outside of the box, such as one that computes taxes: within a deadline, with retries, and with a
 * circuit breaker, so that a service that is away does not cost every request its timeout.
 *
 * A call must never be made in a transaction: its row locks would be held until the service responds.
 */
import type { ExponentialBackoff, IPolicy } from 'cockatiel';
import { type HasExtensions, onceForBox } from '../extension/extension.ts';
import { ServiceError, type ServiceFailure } from './errors.ts';
import { serviceObservers } from './observer.ts';

export interface ServiceCall {
  /** The name of the service in the log and in metrics: `stripe-tax`. */
  service: string;
  /** Calls with the same service and account share a circuit. The id of a tenant with an account of its own. */
  account: string;
  /** Milliseconds for the call with its retries. One attempt gets half of them. */
  timeout: number;
  /** Milliseconds for which the service is not called after several calls in a row have failed. */
  pause: number;
}

/** What may be gone at the next attempt. */
const transient: readonly ServiceFailure[] = ['unavailable', 'timeout', 'busy'];
/** What says nothing against the service: it is no outage, and opens no circuit. */
const working: readonly ServiceFailure[] = ['refused', 'busy'];
/** Consecutive calls without an answer after which a circuit opens. */
const maxFailures = 3;
/** Attempts after the first one. */
const maxRetries = 2;
/** Milliseconds before the first retry; the next ones wait longer, each with a random part. */
const firstBackOff: Partial<ConstructorParameters<typeof ExponentialBackoff>[0]> = { initialDelay: 50, maxDelay: 1000 };

/** The circuits of a box. They belong to a process: each replica learns by itself that a service is away. */
const circuitsOf = onceForBox(() => new Map<string, Promise<IPolicy>>());

/**
 * Calls a service.
 * @param attempt one attempt; it must stop when its signal is aborted. A ServiceError of kind `unavailable`, `timeout`
 *   or `busy` is retried; an error that is no ServiceError counts as `unavailable`.
 * @throws ServiceError, after it was reported to the log and the metrics
 */
export async function callService<T>(
  box: HasExtensions & { readonly inTransaction?: boolean },
  call: ServiceCall,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (box.inTransaction) throw new Error(`${call.service} was called in a transaction`);
  const circuits = circuitsOf(box);
  const key = JSON.stringify(Object.values(call));
  const policy = circuits.get(key) ?? openCircuit(call);
  circuits.set(key, policy);
  const [observer] = serviceObservers.of(box);
  try {
    const answer = await (await policy).execute(({ signal }) => attempt(signal).catch(rethrow));
    observer?.called(call.service, 'answered');
    return answer;
  } catch (thrown) {
    const error = await serviceErrorOf(thrown);
    observer?.called(call.service, error.failure, error);
    throw error;
  }
}

/** The library is loaded with the first call of a process. */
async function openCircuit({ timeout, pause }: ServiceCall): Promise<IPolicy> {
  const cockatiel = await import('cockatiel');
  const { ConsecutiveBreaker, TimeoutStrategy, circuitBreaker, handleWhen, wrap } = cockatiel;
  const isTransient = (error: unknown) =>
    error instanceof cockatiel.TaskCancelledError ||
    (error instanceof ServiceError && transient.includes(error.failure));
  // The service works, as far as others are concerned.
  const isFailure = (error: unknown) => !(error instanceof ServiceError && working.includes(error.failure));
  const breaker = { halfOpenAfter: pause, breaker: new ConsecutiveBreaker(maxFailures) };
  const backoff = new cockatiel.ExponentialBackoff(firstBackOff);
  return wrap(
    circuitBreaker(handleWhen(isFailure), breaker),
    cockatiel.timeout(timeout, TimeoutStrategy.Aggressive),
    cockatiel.retry(handleWhen(isTransient), { maxAttempts: maxRetries, backoff }),
    cockatiel.timeout(timeout / 2, TimeoutStrategy.Aggressive),
  );
}

function rethrow(error: unknown): never {
  if (error instanceof ServiceError) throw error;
  throw new ServiceError('unavailable', (error as Error).message, { cause: error });
}

async function serviceErrorOf(error: unknown): Promise<ServiceError> {
  if (error instanceof ServiceError) return error;
  const { BrokenCircuitError, TaskCancelledError } = await import('cockatiel');
  if (error instanceof BrokenCircuitError) return new ServiceError('circuit_open', 'its last calls have failed');
  if (error instanceof TaskCancelledError) return new ServiceError('timeout', 'no answer in time');
  return new ServiceError('unavailable', (error as Error).message, { cause: error });
}
