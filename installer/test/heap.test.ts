/**
 * The heap limits of a box depend on the machine's memory, and the operator's options take precedence.
 */
import t from 'tap';
import { boxEnvironment } from '../box/declared-settings.ts';
import { boxFolder } from '../box/folder.ts';
import { heapOptions } from '../box/heap.ts';
import { toLaunch } from '../box/launch.ts';
import type { BoxSettings } from '../box/settings.ts';

const mebibyte = 2 ** 20;

t.test(
  'the old generation is a quarter of the memory, within bounds; the young one is larger from a gibibyte on',
  async (t) => {
    const rows: [memory: number, young: number, old: number][] = [
      [256, 8, 128],
      [512, 8, 128],
      [1000, 8, 250],
      [1024, 16, 256],
      [2048, 16, 512],
      [4096, 16, 1024],
      [64 * 1024, 16, 1024],
    ];
    for (const [memory, young, old] of rows) {
      const options = `--max-semi-space-size=${young} --max-old-space-size=${old}`;
      t.equal(heapOptions(memory * mebibyte), options, `${memory} MiB`);
    }
  },
);

t.test('NODE_OPTIONS of a box has the limits, followed by the options of its own environment', async (t) => {
  const launch = toLaunch('release', { host: '127.0.0.1', port: 3001 } as BoxSettings, {});
  const folder = boxFolder('/srv/box');
  t.equal((await boxEnvironment(folder, launch)).NODE_OPTIONS, heapOptions());
  const withOptions = { ...launch, secrets: { NODE_OPTIONS: '--max-old-space-size=2000' } };
  t.equal((await boxEnvironment(folder, withOptions)).NODE_OPTIONS, `${heapOptions()} --max-old-space-size=2000`);
});
