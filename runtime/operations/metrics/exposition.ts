/**
 * The metrics as text in Prometheus' exposition format 0.0.4. The library is loaded at the first scrape: a service
 * without monitoring does not pay for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Metric, Registry } from 'prom-client';
import type { MetricFamily } from './family.ts';

/** Creates the function that returns the text of these metrics and of the process metrics. */
export function exposition(families: readonly MetricFamily[]): () => Promise<string> {
  let registry: Promise<Registry> | undefined;
  return async () => {
    registry ??= registryOf(families);
    return (await registry).metrics();
  };
}

/** A registry with these metrics and the process metrics, under the names that Node.js dashboards expect. */
export async function registryOf(families: readonly MetricFamily[]): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = (await import('prom-client')).default;
  const registry = new Registry();
  for (const family of families) registry.registerMetric(asMetric(family));
  collectDefaultMetrics({ register: registry });
  // The event loop monitor has no values before its first samples.
  await sleep(50);
  return registry;
}

/** The part of prom-client's interface that its registry uses. */
function asMetric({ name, help, type, labels, read }: MetricFamily): Metric {
  const get = async () => {
    const samples = await read();
    const values = samples.map(({ value, labels = {}, suffix = '' }) => ({
      value,
      labels,
      metricName: `${name}${suffix}`,
    }));
    return { name, help, type, values, aggregator: 'sum' };
  };
  return { name, help, type, labelNames: labels, get } as unknown as Metric;
}
