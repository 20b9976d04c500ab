/**
 * The metrics as text in Prometheus' exposition format 0.0.4. The library is loaded at the first scrape: a service
 * without monitoring does not pay for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Metric, Registry } from 'prom-client';
import type { MetricFamily } from './family.ts';

/** Metrics with their values, as prom-client represents them in JSON. */
export type Metrics = {
  name: string;
  help: string;
  type: string;
  aggregator?: string;
  values: { value: number; labels: Record<string, string | number>; metricName?: string }[];
}[];

/** Returns the function that reads the metrics of all processes of a service, from the one that reads those of this. */
export type Gather = (own: () => Promise<Metrics>) => () => Promise<Metrics>;

/** How values of the metrics of processes are merged, where it is not by addition, or as prom-client has it. */
const mergedOtherwise: Record<string, string> = {
  process_start_time_seconds: 'min',
  nodejs_eventloop_lag_seconds: 'max',
  nodejs_eventloop_lag_min_seconds: 'min',
  nodejs_eventloop_lag_max_seconds: 'max',
  nodejs_eventloop_lag_mean_seconds: 'max',
  nodejs_eventloop_lag_stddev_seconds: 'max',
  nodejs_eventloop_lag_p50_seconds: 'max',
  nodejs_eventloop_lag_p90_seconds: 'max',
  nodejs_eventloop_lag_p99_seconds: 'max',
  process_max_fds: 'min',
};

/**
 * Creates the function that returns the text of these metrics and of the process metrics.
 * @param families is called at the first scrape
 * @param gather for a service of several processes
 */
export function exposition(families: () => readonly MetricFamily[], gather?: Gather): () => Promise<string> {
  let registry: Promise<Registry> | undefined;
  const own = () => {
    registry ??= registryOf(families());
    return registry;
  };
  if (!gather) return async () => (await own()).metrics();
  const all = gather(async () => (await (await own()).getMetricsAsJSON()) as unknown as Metrics);
  return async () => {
    const { AggregatorRegistry } = (await import('prom-client')).default;
    return AggregatorRegistry.aggregate([await all()]).metrics();
  };
}

/** Merges the metrics of several processes into those of a service. */
export async function mergeMetrics(all: readonly Metrics[]): Promise<Metrics> {
  const { AggregatorRegistry } = (await import('prom-client')).default;
  const named = all.map((metrics) =>
    metrics.map((metric) => ({ ...metric, aggregator: mergedOtherwise[metric.name] ?? metric.aggregator })),
  );
  return (await AggregatorRegistry.aggregate(named).getMetricsAsJSON()) as unknown as Metrics;
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
function asMetric({ name, help, type, labels, ofAll = 'sum', read }: MetricFamily): Metric {
  const get = async () => {
    const samples = await read();
    const values = samples.map(({ value, labels = {}, suffix = '' }) => ({
      value,
      labels,
      metricName: `${name}${suffix}`,
    }));
    return { name, help, type, values, aggregator: ofAll };
  };
  return { name, help, type, labelNames: labels, get } as unknown as Metric;
}
