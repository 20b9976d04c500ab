/**
 * The metrics as text, in the format that Prometheus reads (exposition format 0.0.4). The library is loaded when somebody
 * asks for the first time: a service that nobody measures does not pay for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Metric, Registry } from 'prom-client';
import type { MetricFamily } from './family.ts';

/** Makes the function that answers the text of these metrics and of the process's own. */
export function exposition(families: readonly MetricFamily[]): () => Promise<string> {
  let registry: Promise<Registry> | undefined;
  return async () => {
    registry ??= registryOf(families);
    return (await registry).metrics();
  };
}

/** A registry with these metrics, and with those of the process under the names that dashboards for Node.js expect. */
export async function registryOf(families: readonly MetricFamily[]): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = (await import('prom-client')).default;
  const registry = new Registry();
  for (const family of families) registry.registerMetric(asMetric(family));
  collectDefaultMetrics({ register: registry });
  // The monitor of the event loop has nothing to tell before its first samples.
  await sleep(50);
  return registry;
}

/** What the registry asks of a metric: its name, and its values when it is read. */
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
