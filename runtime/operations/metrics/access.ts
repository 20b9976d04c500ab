/**
 * Who may read the metrics: whoever has the secret made for that, which opens nothing else.
 */
import { type AccessKind, bearerToken, secretsEqual } from '../../http/credentials.ts';

/** A caller who reads metrics, and nothing but them. */
export interface MetricsReader {
  metrics: true;
}

/** Without a secret nobody is let in this way. */
export function metricsAccess<Scope>(
  secretOf: (scope: Scope) => string | undefined,
): AccessKind<Scope, MetricsReader, 'metrics'> {
  return {
    name: 'metrics',
    schemes: { metricsSecret: { type: 'http', scheme: 'bearer', description: 'METRICS_SECRET, for whoever measures' } },
    authenticate: (ctx, scope) => (secretsEqual(bearerToken(ctx), secretOf(scope)) ? { metrics: true } : null),
  };
}
