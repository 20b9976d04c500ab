/**
 * The metrics of a box, of the control plane and of the registry as tables, read from the objects that serve them.
 */
import { connect, startOperations, vendor } from '@carton/runtime/service';
import { pino } from 'pino';
import { RefusedCredentials } from '../../control-plane/refused-credentials.ts';
import { createMetrics } from '../../control-plane/registry/metrics.ts';
import { downloadFamilies } from '../../control-plane/telemetry/metrics.ts';
import { webhookFamilies } from '../../control-plane/webhooks/metrics.ts';
import { registryOf } from '../../runtime/operations/metrics/exposition.ts';
import type { MetricFamily } from '../../runtime/operations/metrics/family.ts';

type DescribedMetric = Pick<MetricFamily, 'name' | 'labels' | 'help'> & { type: string };

export interface KnownMetrics {
  families: readonly DescribedMetric[];
  /** Those that only the control plane has. */
  ofControlPlane: readonly DescribedMetric[];
  ofRegistry: readonly DescribedMetric[];
  /** Names of the metrics of the process itself. */
  ofProcess: readonly string[];
  /** Matches names of the project's metrics in a text. */
  pattern: RegExp;
  has(name: string): boolean;
}

export async function knownMetrics(): Promise<KnownMetrics> {
  const operations = await startOperations({ log: pino({ level: 'silent' }), about: { version: '', tier: '' } });
  // The pool connects at the first query, and there is none.
  const db = connect({ url: 'postgres://nowhere' });
  operations.watchMigrations(db, []);
  const families = operations.families();
  const ofControlPlane = [...webhookFamilies(db), ...downloadFamilies(db), ...new RefusedCredentials().families];
  const registry = await registryOf([]);
  const ofRegistry = createMetrics({
    backlog: async () => ({ due: 0, oldestAge: 0, dead: 0 }),
    withdrawalsAge: () => 0,
    signingKeysAge: () => 0,
  }).describe();
  const names = new Set(
    [...families, ...ofControlPlane, ...ofRegistry].flatMap(({ name, type }) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix).concat(name) : [name],
    ),
  );
  return {
    families,
    ofControlPlane,
    ofRegistry,
    ofProcess: registry.getMetricsAsArray().map(({ name }) => name),
    pattern: new RegExp(`\\b${vendor.name}_[a-z_]+`, 'g'),
    has: (name) => names.has(name),
  };
}

export function metricsTable(metrics: readonly DescribedMetric[]): string {
  const rows = metrics.map(({ name, type, labels, help }) => {
    const labelled = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${labelled} | ${help} |`;
  });
  return ['| metric | type | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

export function processMetricsList({ ofProcess }: KnownMetrics): string {
  return ofProcess.map((name) => `\`${name}\``).join(', ');
}
