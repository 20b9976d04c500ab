/**
 * Queries of promotions as staff manage them.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import { unknownToEarlier } from './kinds.ts';
import type { Discount, Promotion, Rules, statuses } from './schemas.ts';

export interface PromotionRow extends Omit<Promotion, 'startsAt' | 'endsAt' | 'discount' | 'rules'> {
  status: (typeof statuses)[number];
  discount: Discount;
  /** A discount that earlier releases do not know (`columnsOf`), as it is stored. */
  offer: Discount | null;
  rules: Rules;
  startsAt: Date | string | null;
  endsAt: Date | string | null;
  /** Uses counted while `maxUses` is set. */
  claimed: number;
}

/** The discount of a row of `promotions`: see `columnsOf`. */
export const storedDiscount = `coalesce(
  case when promotions.discount = '${JSON.stringify(unknownToEarlier)}' then promotions.offer end, promotions.discount)`;

export const promotions = rows<PromotionRow>({
  table: 'promotions',
  noun: 'promotion',
  json: ['discount', 'offer', 'rules', 'metadata'],
  computed: {
    // In place of the column.
    discount: storedDiscount,
    uses: `select count(*)::integer from promotion_usages usages
            where usages.tenant_id = promotions.tenant_id and usages.promotion_id = promotions.id
              and usages.returned_at is null`,
  },
  softDelete: true,
});

/** Counts the uses of a promotion, after its row is locked, when a limit is set. */
export async function countUses(tx: TenantDatabase, promotionId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::integer as count from promotion_usages
      where tenant_id = $1 and promotion_id = $2 and returned_at is null`,
    [promotionId],
  );
  return row?.count ?? 0;
}

/** The number of automatic promotions that are active and have not ended. */
export async function countAutomatic(tx: TenantDatabase): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::integer as count from promotions
      where tenant_id = $1 and automatic and status = 'active' and deleted_at is null
        and (ends_at is null or ends_at > now())`,
  );
  return row?.count ?? 0;
}

/** Deletes the codes of a promotion. */
export async function deleteCodesOf(tx: TenantDatabase, promotionId: string): Promise<void> {
  await tx.remove('promotion_codes', { promotionId });
}

/**
 * The instant of a local time: one that clocks skip is as much later as they skip, one that they repeat is the second.
 * @param local such as `2026-12-31T08:00:00`
 * @param days added in the time zone
 */
export async function resolveLocalTime(
  db: TenantDatabase,
  { local, timeZone, days }: { local: string; timeZone: string; days: number },
): Promise<Date> {
  const [row] = await db.query<{ instant: string }>(
    `select (($2::timestamp + make_interval(days => $4)) at time zone $3) as instant, $1::uuid`,
    [local, timeZone, days],
  );
  return new Date(row?.instant as string);
}
