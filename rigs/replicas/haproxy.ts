/**
 * HAProxy with the configuration for partners (docs/haproxy.cfg).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, pathOf } from '@carton/runtime/testing';
import type { RigBox } from '../support/box.ts';
import type { Stage } from '../support/rig.ts';

const configuration = fileURLToPath(new URL('../../docs/haproxy.cfg', import.meta.url));

export interface HaProxy {
  url: string;
  /** Waits until its state of a box is UP or DOWN. */
  untilSees(box: RigBox, state: 'UP' | 'DOWN'): Promise<void>;
}

/** Starts it in front of two boxes named box-1 and box-2; it is stopped when the rig ends. */
export async function startHaProxy(stage: Stage, one: { port: number }, other: { port: number }): Promise<HaProxy> {
  const [port, statsPort] = [await freePort(), await freePort()];
  const log = join(stage.folder, 'haproxy.log');
  const output = openSync(log, 'a');
  const child = spawn(pathOf('haproxy'), ['-db', '-f', configuration, '-p', join(stage.folder, 'haproxy.pid')], {
    env: {
      LISTEN: `127.0.0.1:${port}`,
      STATS: `127.0.0.1:${statsPort}`,
      BOX_1: `127.0.0.1:${one.port}`,
      BOX_2: `127.0.0.1:${other.port}`,
    },
    stdio: ['ignore', output, output],
    detached: true,
  });
  const ended = once(child, 'exit');
  stage.atEnd('HAProxy', () => {
    child.kill('SIGTERM');
    return ended;
  });
  const stats = `http://127.0.0.1:${statsPort}/;csv`;
  return {
    url: `http://127.0.0.1:${port}`,
    async untilSees(box, state) {
      for (;;) {
        stage.signal.throwIfAborted();
        if (child.exitCode !== null) throw new Error(`HAProxy has exited: see ${log} (--keep)`);
        if ((await stateOf(stats, box.name))?.startsWith(state)) return;
        await sleep(50);
      }
    },
  };
}

/** Reads the state of a box from HAProxy's statistics, such as `UP`; undefined while they are unavailable. */
async function stateOf(stats: string, name: string): Promise<string | undefined> {
  const text = await fetch(stats).then(
    (response) => response.text(),
    () => '',
  );
  const [heading = '', ...rows] = text.split('\n').map((line) => line.split(','));
  const [backend, server, status] = ['# pxname', 'svname', 'status'].map((column) => heading.indexOf(column));
  return rows.find((row) => row[backend as number] === 'boxes' && row[server as number] === name)?.[status as number];
}
