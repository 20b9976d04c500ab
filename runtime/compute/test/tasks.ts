/**
 * Work for tests of compute processes. Its default export runs in one.
 */
export interface Work {
  /** What to do: `echo` the value, `spin` for ever, `wait` milliseconds, `fill` the heap, `copy` a text larger than the heap, `hold` MiB, … */
  kind: 'echo' | 'spin' | 'wait' | 'fill' | 'copy' | 'hold' | 'throw' | 'exit' | 'pid' | 'environment';
  value?: unknown;
}

export default function work({ kind, value }: Work): unknown {
  switch (kind) {
    case 'echo':
      return value;
    case 'spin':
      for (;;);
    case 'wait':
      return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, value as number);
    case 'fill': {
      const all: unknown[] = [];
      for (;;) all.push({ value: all.length });
    }
    case 'copy':
      return 'x'.repeat(2000).split('x').join('y'.repeat(200_000)).charCodeAt(3);
    case 'hold':
      // Touched, so that it is in memory; not of the heap.
      return Buffer.alloc((value as number) * 1024 * 1024, 1).length;
    case 'throw':
      throw new Error('no such value');
    case 'exit':
      return process.exit(3);
    case 'pid':
      return process.pid;
    case 'environment':
      return Object.keys(process.env);
  }
}
