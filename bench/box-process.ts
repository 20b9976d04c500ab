/**
 * The box that is measured, as a process of its own. Asked to, it keeps the statements that one request sends.
 */

import pg from 'pg';
import { boot } from '../runtime/boot.ts';
import { disableParallelScavenge } from '../runtime/collection.ts';
import type { Statement } from './box.ts';

const { databaseUrl, operatorSecret, hostingSecret, packages, packagesFrom } = JSON.parse(process.argv[2] as string);

disableParallelScavenge();

let kept: Statement[] | null = null;
const send = pg.Client.prototype.query as (...given: unknown[]) => unknown;
pg.Client.prototype.query = function keep(this: pg.Client, ...given: unknown[]) {
  const { text, values = [] } = given[0] as Partial<Statement>;
  // Which tenant a connection speaks for is told as it changes hands, not for each request; background work is no part
  // of one.
  const { connectionParameters } = this as unknown as { connectionParameters: { application_name: string } };
  const isOfRequest = connectionParameters.application_name === 'box';
  if (isOfRequest && text && !text.startsWith('select set_config(')) kept?.push({ text, values });
  return send.apply(this, given);
} as never;

const box = await boot({
  databaseUrl,
  operatorSecret,
  hostingSecret,
  tier: 'basic',
  packages,
  packagesFrom,
  host: '127.0.0.1',
  port: 0,
});
process.on('message', (order) => {
  if (order === 'memory') {
    process.send?.({ peakMemory: process.resourceUsage().maxRSS * 1024 });
    return;
  }
  if (order === 'keep') kept = [];
  process.send?.({ statements: kept });
  if (order !== 'keep') kept = null;
});
process.send?.({ url: box.url });
