/**
 * The licences whose activation tokens the gated registry refuses, although they have not expired.
 */
import { DateTime, object, routeFor, type Static, Type, Uuid } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { CustomerId } from '../schemas.ts';
import type { CommonCallers, CommonServices } from '../services.ts';

const route = routeFor<CommonServices, CommonCallers>();

/** Hours after which no token is left that was issued before: longer than any token lives, whatever the clocks. */
export const longestTokenHours = 25;

const Withdrawal = object(
  {
    licenseId: Uuid,
    customerId: CustomerId,
    withdrawnAt: DateTime,
  },
  { $id: 'Withdrawal' },
);

const WithdrawalList = object({ items: Type.Array(Withdrawal) }, { $id: 'WithdrawalList' });

const oldest = `now() - interval '${longestTokenHours} hours'`;
/** The earlier of the withdrawal by the vendor and the end that has passed; null does not count. */
const withdrawnAt = 'least(withdrawn_at, case when ends_at <= now() then ends_at end)';

/** Suspended, revoked and replaced licences that may still have a token that has not expired. */
async function listWithdrawals(db: Knex): Promise<Static<typeof Withdrawal>[]> {
  return (
    db('license_keys')
      .whereRaw(`withdrawn_at > ${oldest}`)
      // A licence that was replaced is withdrawn by its end.
      .orWhereRaw(`(ends_at > ${oldest} and ends_at <= now())`)
      .orderBy(['withdrawnAt', 'id'])
      .select('id as licenseId', 'customerId', db.raw(`${withdrawnAt} as withdrawn_at`))
  );
}

export const withdrawalRoutes = [
  route(
    {
      method: 'get',
      path: '/license/withdrawals',
      operationId: 'listWithdrawals',
      tag: 'Licences',
      summary: 'List licences that were suspended, revoked or replaced, whose tokens the registry refuses',
      description: `Those of the last ${longestTokenHours} hours: tokens issued before have expired.`,
      access: 'registry',
      status: 200,
      response: WithdrawalList,
    },
    async ({ db }) => ({ items: await listWithdrawals(db) }),
  ),
];
