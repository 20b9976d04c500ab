/**
 * Reports the calls to services.
 */
import { extensionPoint } from '../extension/extension.ts';
import type { ServiceError, ServiceFailure } from './errors.ts';

export interface ServiceObserver {
  /** A call has ended, after its retries. */
  called(service: string, outcome: 'answered' | ServiceFailure, error?: ServiceError): void;
}

/** The engine contributes the log and the metrics. */
export const serviceObservers = extensionPoint<ServiceObserver>('services.observer');
