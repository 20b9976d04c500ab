/**
 * Access to the metrics with a secret of their own, which is valid for nothing else.
 */
import { type AccessKind, bearerToken, secretsEqual } from '../../http/credentials.ts';

/** A caller that may read the metrics and nothing else. */
export interface MetricsReader {
  metrics: true;
}

/** Authenticates no caller if there is no secret. */
export function metricsAccess<Scope>(
  secretOf: (scope: Scope) => string | undefined,
): AccessKind<Scope, MetricsReader, 'metrics'> {
  return {
    name: 'metrics',
    schemes: { metricsSecret: { type: 'http', scheme: 'bearer', description: 'METRICS_SECRET, for monitoring' } },
    authenticate: (ctx, scope) => (secretsEqual(bearerToken(ctx), secretOf(scope)) ? { metrics: true } : null),
  };
}
