/**
 * Queries of the codes of promotions.
 */
import { eachRow, newId, rows, type TenantDatabase } from '@carton/runtime';
import type { PromotionCode } from './schemas.ts';
import { codeKey } from './text.ts';

export const { page: listCodes } = rows<PromotionCode>({
  table: 'promotion_codes',
  noun: 'code',
  computed: {
    uses: `select count(*)::integer from promotion_usages usages
            where usages.tenant_id = promotion_codes.tenant_id and usages.promotion_id = promotion_codes.promotion_id
              and usages.code_key = promotion_codes.code_key and usages.returned_at is null`,
  },
});

/** Inserts codes in one statement and returns those that did not exist. */
export async function insertCodes(
  tx: TenantDatabase,
  promotionId: string,
  codes: readonly string[],
  maxUses: number | null,
): Promise<string[]> {
  const inserted = await tx.query<{ code: string }>(
    `insert into promotion_codes (tenant_id, id, promotion_id, code, code_key, max_uses)
     select $1, new.id, $2, new.code, new.code_key, $3
       from unnest($4::uuid[], $5::text[], $6::text[]) as new (id, code, code_key)
     on conflict (tenant_id, code_key) do nothing
     returning code`,
    [promotionId, maxUses, codes.map(() => newId()), codes, codes.map(codeKey)],
  );
  return inserted.map(({ code }) => code);
}

type CodeRow = Omit<PromotionCode, 'uses'>;

/** A code of a promotion, without its uses. */
export async function findCode(db: TenantDatabase, promotionId: string, id: string): Promise<CodeRow | null> {
  const [code] = await db.query<CodeRow>(
    'select * from promotion_codes where tenant_id = $1 and id = $2 and promotion_id = $3',
    [id, promotionId],
  );
  return code ?? null;
}

export async function markDisabled(tx: TenantDatabase, { id, promotionId }: CodeRow): Promise<void> {
  await tx.update('promotion_codes', { id, promotionId }, { disabledAt: new Date() });
}

/** All codes of a promotion, page by page. */
export function eachCode(db: TenantDatabase, promotionId: string): AsyncIterable<CodeRow> {
  const select = () => db.table<CodeRow>('promotion_codes').where('promotionId', promotionId);
  return eachRow(select as never, 'promotion_codes') as AsyncIterable<CodeRow>;
}
