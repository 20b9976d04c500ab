/**
 * The process of a measured box. On request it records the statements that it sends to the database.
 */

import pg from 'pg';
import { disableParallelScavenge } from '../runtime/garbage-collection.ts';
import { startBox } from '../runtime/start-box.ts';
import type { Statement } from './box.ts';

const { databaseUrl, operatorSecret, hostingSecret, packages, packagesFrom, dataFolder } = JSON.parse(
  process.argv[2] as string,
);

disableParallelScavenge();

let recorded: Statement[] | null = null;
let roundTrips = 0;
/** Statements without a result so far, by connection. */
const outstanding = new WeakMap<pg.Client, number>();
const send = pg.Client.prototype.query as (...parameters: unknown[]) => unknown;
pg.Client.prototype.query = function record(this: pg.Client, ...parameters: unknown[]) {
  if (recorded === null) return send.apply(this, parameters);
  const { text, values = [] } = parameters[0] as Partial<Statement>;
  // The peer begins and ends its transactions itself. A connection's tenant is set when the connection is acquired, not
  // for each request. Background work belongs to no request.
  const { connectionParameters } = this as unknown as { connectionParameters: { application_name: string } };
  const isOfRequest = connectionParameters.application_name === 'box';
  if (!isOfRequest || !text || /^(begin|commit|select set_config\()/.test(text)) return send.apply(this, parameters);
  const before = outstanding.get(this) ?? 0;
  if (before === 0) roundTrips++;
  recorded.push({ text, values, roundTrip: roundTrips });
  outstanding.set(this, before + 1);
  const end = () => outstanding.set(this, (outstanding.get(this) ?? 1) - 1);
  const callback = parameters.at(-1);
  if (typeof callback === 'function') {
    const observed = (...result: unknown[]) => {
      end();
      callback(...result);
    };
    return send.call(this, ...parameters.slice(0, -1), observed);
  }
  const sent = send.apply(this, parameters) as Promise<unknown>;
  sent.then(end, end);
  return sent;
} as never;

const box = await startBox({
  databaseUrl,
  operatorSecret,
  hostingSecret,
  tier: 'basic',
  packages,
  packagesFrom,
  dataFolder,
  host: '127.0.0.1',
  port: 0,
});
process.on('message', (command) => {
  if (command === 'memory') {
    process.send?.({ peakMemory: process.resourceUsage().maxRSS * 1024 });
    return;
  }
  if (command === 'record') {
    recorded = [];
    roundTrips = 0;
  }
  process.send?.({ statements: recorded });
  if (command !== 'record') recorded = null;
});
process.send?.({ url: box.url });
