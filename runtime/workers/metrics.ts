/**
 * The metrics of a box with several workers, the same whichever is asked: counters and histograms are added up, gauges as
 * each declares (runtime/operations/metrics/family.ts).
 *
 * A counter must not decrease but to zero, where Prometheus notices a restart. So the leader keeps adding what a worker
 * had counted before it ended, as far as it was read; and after a restart of the leader the others begin at zero too.
 */
import { unavailable } from '../http/problems.ts';
import { type Metrics, mergeMetrics } from '../operations/metrics/exposition.ts';
import type { Peer } from './peer.ts';
import type { Workers } from './workers.ts';

const patience = 3_000;
const later = { headers: { 'Retry-After': '5' } };

/** Returns the function that reads the metrics of all workers. @param read reads those of this one */
export function gatherMetrics(workers: Workers, read: () => Promise<Metrics>): () => Promise<Metrics> {
  return workers.isLeader ? gatherAsLeader(workers, read) : gatherAsFollower(workers, read);
}

function gatherAsLeader(workers: Workers, read: () => Promise<Metrics>): () => Promise<Metrics> {
  const last = new Map<Peer, Metrics>();
  /** What workers had counted that have ended. A worker is in `last` or here, never in both. */
  let ended: Metrics[] = [];
  const readFrom = async (peer: Peer): Promise<void> => {
    try {
      const metrics = (await peer.ask('own metrics', undefined, patience)) as Metrics;
      // It may have ended while it answered.
      if (!last.has(peer)) void peer.closed.then(() => remember(peer));
      last.set(peer, metrics);
    } catch {
      // A worker that hangs is counted as it was.
    }
  };
  const remember = (peer: Peer) => {
    ended.push(accumulating(last.get(peer) ?? []));
    last.delete(peer);
  };
  /** Makes one of many, so that restarts of workers do not add up. */
  const joinEnded = async () => {
    const [all, parts] = [ended, [...ended]];
    if (parts.length < 2) return;
    const joined = await mergeMetrics(parts);
    if (ended === all) ended = [joined, ...all.slice(parts.length)];
  };
  const gather = async () => {
    const [own] = await Promise.all([read(), ...[...workers.followers].map(readFrom)]);
    // A worker that has ended while it was asked is counted once: both are read in the same turn of the event loop.
    const merged = await mergeMetrics([own, ...last.values(), ...ended]);
    await joinEnded();
    return merged;
  };
  workers.handlers.set('metrics', gather);
  return gather;
}

function gatherAsFollower(workers: Workers, read: () => Promise<Metrics>): () => Promise<Metrics> {
  let first: Peer | undefined;
  let reader: Peer | undefined;
  let base = new Map<string, number>();
  workers.handlers.set('own metrics', async (_: never, peer: Peer) => {
    first ??= peer;
    if (reader !== peer) {
      reader = peer;
      base = peer === first ? new Map() : valuesOf(accumulating(await read()));
    }
    return subtract(await read(), base);
  });
  return async () => {
    const metrics = await workers.leader?.ask('metrics', undefined, 2 * patience).catch(() => undefined);
    if (!metrics) throw unavailable('The worker that adds up the metrics does not answer.', later);
    return metrics as Metrics;
  };
}

/** The metrics that only increase. */
function accumulating(metrics: Metrics): Metrics {
  return metrics.filter(({ type }) => type !== 'gauge');
}

type Value = Metrics[number]['values'][number];

const keyOf = (name: string, { metricName, labels }: Value) =>
  `${metricName ?? name} ${JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)))}`;

function valuesOf(metrics: Metrics): Map<string, number> {
  return new Map(metrics.flatMap(({ name, values }) => values.map((value) => [keyOf(name, value), value.value])));
}

function subtract(metrics: Metrics, base: ReadonlyMap<string, number>): Metrics {
  if (base.size === 0) return metrics;
  return metrics.map((metric) => ({
    ...metric,
    values: metric.values.map((value) => ({
      ...value,
      value: value.value - (base.get(keyOf(metric.name, value)) ?? 0),
    })),
  }));
}
