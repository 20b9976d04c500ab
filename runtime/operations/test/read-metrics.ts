/**
 * Reads the metrics of a box as Prometheus does.
 */
import type { TestBox } from '../../testing/box.ts';

export interface ReadSample {
  labels: Record<string, string>;
  value: number;
}

export interface ReadMetrics {
  /** The samples of a metric, named without the vendor's prefix. */
  samples(name: string): ReadSample[];
  /** The value of the one sample that has these labels. */
  value(name: string, labels?: Record<string, string>): number | undefined;
}

export async function readMetrics({ operator }: Pick<TestBox, 'operator'>): Promise<ReadMetrics> {
  const { status, headers, body } = await operator.get('/metrics');
  if (status !== 200 || headers.get('content-type') !== 'text/plain; version=0.0.4; charset=utf-8') {
    throw new Error(`the metrics cannot be read: ${status} ${headers.get('content-type')}`);
  }
  const read = String(body)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', text = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === '') throw new Error(`not a line of the format: ${line}`);
      const labels = Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, of]) => [key, of]));
      return { name: name.replace(/^carton_/, ''), labels, value: Number(value) };
    });
  const samples = (name: string) => read.filter((sample) => sample.name === name);
  return {
    samples,
    value: (name, labels = {}) =>
      samples(name).find((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
        ?.value,
  };
}
