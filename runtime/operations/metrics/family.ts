/**
 * A metric as it is kept here: its name and meaning, and how its figures are read when somebody asks. Counting is a
 * number raised by one; everything else is left to the one who asks.
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
  /** What it says, in its unit. Stands in docs/operations.md too. */
  readonly help: string;
  readonly labels: readonly string[];
  read(): readonly Sample[] | Promise<readonly Sample[]>;
}

/** A metric of a service; the vendor's name stands before its own. */
export function family({ name, ...rest }: Omit<MetricFamily, 'labels'> & { labels?: readonly string[] }): MetricFamily {
  return { labels: [], ...rest, name: `${vendor.name}_${name}` };
}

/** A number without labels. */
export function single(read: () => number) {
  return (): Sample[] => [{ value: read() }];
}
