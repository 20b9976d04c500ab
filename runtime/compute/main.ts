/**
 * The program of a compute process: it does one task after another, and ends with the box.
 */
import { writeFileSync } from 'node:fs';
import type { FromProcess, ToProcess } from './messages.ts';

if (!process.send) throw new Error('this program is started by a box');

// Where the machine runs out of memory, the kernel ends this process and not the box.
try {
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Without /proc.
}

function tell(message: FromProcess): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

process.on('message', async ({ module, input }: ToProcess) => {
  try {
    const loaded = (await import(module)) as { default: (input: unknown) => unknown };
    await tell({ kind: 'begun' });
    await tell({ kind: 'done', output: await loaded.default(input) });
  } catch (error) {
    const { message, stack } = error as Error;
    await tell({ kind: 'failed', message, stack });
  }
});
process.on('disconnect', () => process.exit());
// A signal to the terminal's group of processes is for the box, which ends its compute processes.
process.on('SIGINT', () => undefined);
await tell({ kind: 'ready' });
