/**
 * The process of the hostile client, so that its own work does not delay the other tenant's client. It sends its
 * address once it is prepared, begins with the first message, and answers with the statuses that it got.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { hostiles, type Send } from './hostile.ts';

const { kind, url, tenant, seconds } = JSON.parse(process.argv[2] as string);
const hostile = hostiles[kind];
if (!hostile) throw new Error(`no hostile client ${kind}`);
const send = await hostile.prepare(url, tenant);
const statuses: Record<string, number> = {};

async function sendAll(send: Send, until: number, first: number, step: number): Promise<void> {
  for (let number = first; performance.now() < until; number += step) {
    const status = await send(number).catch((error: Error) => error.message);
    statuses[status] = (statuses[status] ?? 0) + 1;
    // A refused connection must not become a loop without an end.
    if (typeof status === 'string') await sleep(10);
  }
}

process.once('message', async () => {
  const until = performance.now() + seconds * 1000;
  const { connections } = hostile;
  await Promise.all(Array.from({ length: connections }, (_, first) => sendAll(send, until, first, connections)));
  process.send?.({ statuses }, () => process.exit(0));
});
process.send?.({ url });
