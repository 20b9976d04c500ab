/**
 * Numbers that are read from the database at a scrape of the metrics, so that all replicas report the same.
 */
import { valueInTime } from '@carton/runtime/service';

const cacheMilliseconds = 1_000;

interface Sample {
  value: number;
  labels?: Record<string, string>;
}

/**
 * Lets several metrics share one query. They have no samples while the database is unavailable.
 * @param count reads the numbers; at most once a second
 * @returns makes the `read` of a metric of what it samples
 */
export function scrapeTogether<Counts>(
  count: () => Promise<Counts>,
): (samples: (counts: Counts) => Sample[]) => () => Promise<Sample[]> {
  let cached: { counts: Promise<Counts | undefined>; until: number } | undefined;
  return (samples) => async () => {
    const now = performance.now();
    if (!cached || cached.until <= now) cached = { counts: valueInTime(count()), until: now + cacheMilliseconds };
    const counts = await cached.counts;
    return counts === undefined ? [] : samples(counts);
  };
}
