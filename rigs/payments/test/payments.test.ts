/**
 * The payments rig in its shortest form: one kill, and the time until open sessions expire.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';

const program = fileURLToPath(new URL('../../run.ts', import.meta.url));

t.test('after a kill, and with a failing provider, the amounts agree', async (t) => {
  const words = ['payments', '--short', '--orders', '24', '--kills', '1'];
  const run = promisify(execFile)(process.execPath, ['--conditions=workspace-source', program, ...words]);
  const { stdout } = await run.catch((error) => error as { stdout: string });
  const found = JSON.parse(stdout.trim().split('\n').at(-1) as string);
  t.match(found, { rig: 'payments', held: true, broken: exactly([]), kills: 1, purchases: 24 }, { ended: stdout });
  t.ok(found.capturedAtProvider > 0, 'payments were captured');
  t.equal(found.capturedInBox, found.capturedAtProvider);
  t.equal(found.disputedInBox, found.disputedAtProvider);
  t.ok(found.invoices > 0 && found.creditedAmount > 0 && found.parcels > 0, 'invoices, credit notes and parcels');
  t.ok(found.unitsRefunded > 0, 'refunds of units');
});
