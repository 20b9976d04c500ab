/**
 * The definition of a metric: its name, its meaning, and a function that reads its values at a scrape. Counting only
 * increments a number; all other work is done at the scrape.
 */
import { vendor } from '../../vendor.ts';

export interface Sample {
  value: number;
  labels?: Record<string, string>;
  /** For the parts of a histogram: `_bucket`, `_sum`, `_count`. */
  suffix?: string;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Meaning and unit; also printed in docs/operations.md. */
  readonly help: string;
  readonly labels: readonly string[];
  /** How the values of several processes are merged into that of the box. Default: they are added up. */
  readonly ofAll?: 'sum' | 'min' | 'max';
  read(): readonly Sample[] | Promise<readonly Sample[]>;
}

/** Defines a metric of a service; its name is prefixed with the vendor's. */
export function family({ name, ...rest }: Omit<MetricFamily, 'labels'> & { labels?: readonly string[] }): MetricFamily {
  return { labels: [], ...rest, name: `${vendor.name}_${name}` };
}

/** Reads a single value without labels. */
export function single(read: () => number) {
  return (): Sample[] => [{ value: read() }];
}
