/**
 * The metrics of a box as a table, read from the objects that a box serves them from.
 */
import { connect, startOperations, vendor } from '@carton/runtime/service';
import { pino } from 'pino';
import { registryOf } from '../../runtime/operations/metrics/exposition.ts';
import type { MetricFamily } from '../../runtime/operations/metrics/family.ts';

export interface KnownMetrics {
  families: readonly MetricFamily[];
  /** Names of the metrics of the process itself. */
  ofProcess: readonly string[];
  /** Matches names of the project's metrics in a text. */
  pattern: RegExp;
  has(name: string): boolean;
}

export async function knownMetrics(): Promise<KnownMetrics> {
  const operations = await startOperations({ log: pino({ level: 'silent' }), about: { version: '', tier: '' } });
  // The pool connects at the first query, and there is none.
  operations.watchMigrations(connect({ url: 'postgres://nowhere' }), []);
  const families = operations.families();
  const registry = await registryOf([]);
  const names = new Set(
    families.flatMap(({ name, type }) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix).concat(name) : [name],
    ),
  );
  return {
    families,
    ofProcess: registry.getMetricsAsArray().map(({ name }) => name),
    pattern: new RegExp(`\\b${vendor.name}_[a-z_]+`, 'g'),
    has: (name) => names.has(name),
  };
}

export function metricsTable({ families }: KnownMetrics): string {
  const rows = families.map(({ name, type, labels, help }) => {
    const labelled = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${labelled} | ${help} |`;
  });
  return ['| metric | type | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

export function processMetricsList({ ofProcess }: KnownMetrics): string {
  return ofProcess.map((name) => `\`${name}\``).join(', ');
}
