/**
 * Queries of `member_addresses`.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import type { MemberAddress } from './schemas.ts';

export interface AddressRow extends MemberAddress {
  memberId: string;
  changedByStaff: boolean;
}

export const memberAddresses = rows<AddressRow>({ table: 'member_addresses', noun: 'address' });

/** Keeps the id of a removed address that is in the log of changes by staff, so that an erasure finds it there. */
export async function noteFormerAddress(tx: TenantDatabase, memberId: string, id: string): Promise<void> {
  await tx.query(
    `update members set former_address_ids = former_address_ids || $3::uuid where tenant_id = $1 and id = $2`,
    [memberId, id],
  );
}

/** Removes a default from the address of a member that has it. */
export async function clearDefault(
  tx: TenantDatabase,
  memberId: string,
  name: 'defaultShipping' | 'defaultBilling',
): Promise<void> {
  await tx.update('member_addresses', { memberId, [name]: true }, { [name]: false, updatedAt: new Date() });
}
