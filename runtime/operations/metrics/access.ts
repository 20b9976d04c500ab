/**
 * Access to the metrics with a secret of their own, which is valid for nothing else.
 */
import { type AccessKind, bearerToken, secretsEqual } from '../../http/credentials.ts';

/** A caller that may read the metrics and nothing else. */
export interface MetricsReader {
  metrics: true;
}

/** Authenticates no caller if there is no secret. A service may have several that are valid at a time. */
export function metricsAccess<Scope>(
  secretOf: (scope: Scope) => string | readonly string[] | undefined,
): AccessKind<Scope, MetricsReader, 'metrics'> {
  return {
    name: 'metrics',
    schemes: { metricsSecret: { type: 'http', scheme: 'bearer', description: 'METRICS_SECRET, for monitoring' } },
    authenticate: (ctx, scope) => {
      const sent = bearerToken(ctx);
      const isReader = [secretOf(scope)].flat().some((secret) => secretsEqual(sent, secret));
      return isReader ? { metrics: true } : null;
    },
  };
}
