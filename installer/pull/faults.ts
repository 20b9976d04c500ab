/**
 * What can go wrong with one request to the registry: the failure to report, and whether another attempt may succeed.
 */
import { Failure } from '../failure.ts';
import { networkAdvice, readRetryAfter } from '../network.ts';

export { readRetryAfter };

/** How often a request is repeated after a fault: `often` for one that may pass, such as a lost connection. */
export type Repeats = 'never' | 'once' | 'often';

export class RegistryFault extends Error {
  /** What is reported if no attempt succeeds. */
  readonly failure: Failure;
  readonly repeats: Repeats;
  /** Status of the response, if there is one. */
  readonly status: number | undefined;
  /** How long the registry wants clients to wait, in seconds. */
  readonly waitSeconds: number | undefined;

  /** @param message a few words for the warning before another attempt */
  constructor(
    message: string,
    failure: Failure,
    options: { repeats: Repeats; status?: number; waitSeconds?: number | undefined } = { repeats: 'never' },
  ) {
    super(message);
    this.name = 'RegistryFault';
    this.failure = failure;
    this.repeats = options.repeats;
    this.status = options.status;
    this.waitSeconds = options.waitSeconds;
  }
}

/** A fault that another attempt does not mend. */
export function lasting(failure: Failure): RegistryFault {
  return new RegistryFault(failure.message, failure);
}

/** The network failed, or fell silent. */
export function networkFault(registryUrl: string, message: string, facts: Record<string, unknown>): RegistryFault {
  const failure = new Failure(
    'registry_refused',
    `the registry at ${registryUrl} is unreachable: ${message}`,
    networkAdvice(message, 'Check the network, then run the command again to resume'),
    { ...facts, passing: true },
  );
  return new RegistryFault(message, failure, { repeats: 'often' });
}

/** The registry responded with an error. @param message the text in its response */
export function statusFault(
  what: string,
  response: Response,
  message: string | undefined,
  facts: Record<string, unknown>,
): RegistryFault {
  const { status } = response;
  const reason = message ?? `status ${status}`;
  const waitSeconds = readRetryAfter(response.headers.get('retry-after'), Date.now());
  if (status === 404) {
    const advice = 'Contact the vendor: a package of this licence is missing';
    return lasting(new Failure('registry_refused', `the registry has no ${what}`, advice, { ...facts, status }));
  }
  const isPassing = status >= 500 || [408, 416, 420, 425, 429].includes(status);
  const later = waitSeconds === undefined ? 'later' : `in ${waitSeconds} s`;
  const failure = new Failure(
    'registry_refused',
    `the registry did not serve ${what}: ${reason}`,
    isPassing ? `Run the command again ${later}` : 'Contact the vendor about this licence',
    { ...facts, status },
  );
  return new RegistryFault(reason, failure, { repeats: isPassing ? 'often' : 'never', status, waitSeconds });
}
