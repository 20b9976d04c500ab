/**
 * Events of failed log-ins.
 */
import { newId, publish, type TenantDatabase } from '@carton/runtime';
import { countReport } from '../attempts/service.ts';
import { logInFailed } from './events.ts';

/**
 * Inserts the event of a failed log-in if a report is due for the address, whether or not a member of staff has it: both
 * ways do the same work, so that the response time does not reveal whether the account exists.
 */
export async function reportFailure(
  db: TenantDatabase,
  account: string,
  failure: { factor: 'password' | 'code'; staffUserId: string | null },
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await countReport(tx, { realm: 'staff', account }))) return;
    await publish(tx, logInFailed, { type: 'staff_log_in', id: newId() }, failure);
  });
}
