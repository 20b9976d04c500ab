/**
 * What a sale reads of promotions: those that it considers, with the codes of its cart.
 */
import { hasOrdered } from '@carton/order';
import { referenceQuery, type TenantDatabase } from '@carton/runtime';
import { codeKey } from '../codes/text.ts';
import { customerKeyOf } from '../customer.ts';
import type { Discount, Rules } from '../promotions/schemas.ts';
import { storedDiscount } from '../promotions/store.ts';
import type { Reason } from './schemas.ts';

/** A promotion as a sale needs it. */
export interface ReadPromotion {
  readonly id: string;
  readonly label: string;
  readonly priority: number;
  readonly exclusive: boolean;
  readonly discount: Discount;
  readonly rules: Rules;
  readonly maxUsesPerCustomer: number | null;
}

/** An automatic promotion, or a code that was entered. */
export interface Considered {
  /** As it was entered; null for an automatic promotion. */
  readonly code: string | null;
  /** Null for an unknown code. */
  readonly promotion: ReadPromotion | null;
  /** Why the promotion or the code cannot be used now, by anyone or by this customer; null if it can. */
  readonly unusable: Reason | null;
  /** Whether the customer has placed an order; known only for a promotion for first orders. */
  readonly hasOrdered: boolean;
}

interface ConsideredRow extends Omit<ReadPromotion, 'id'> {
  id: string | null;
  code: string | null;
  isDisabled: boolean;
  isNotStarted: boolean;
  isExpired: boolean;
  isUsedUp: boolean;
  hasOrdered: boolean;
}

/**
 * SQL for the choice of a cart as JSON (`PromotionChoice`): its codes in the order in which they were entered. The statement
 * that contains it reads `carts`.
 */
export const storedChoice = `json_build_object('codes', (
  select coalesce(json_agg(codes.code order by codes.created_at, codes.code_key), '[]')
    from promotion_cart_codes codes where codes.tenant_id = $1 and codes.cart_id = carts.id))`;

/** Whether the store has automatic promotions that are active, at any time. */
const anyAutomatic = referenceQuery(
  `select exists (select from promotions where tenant_id = $1 and automatic and status = 'active' and deleted_at is null)
          as found`,
  { promotions: ['claimed'] },
);

/** Whether no promotion can be considered without codes. Told without a statement, hence false if that is impossible. */
async function hasNoneWithoutCodes(db: TenantDatabase): Promise<boolean> {
  if (!db.sharesReferenceData) return false;
  const [any] = await db.readReference<{ found: boolean }>(anyAutomatic);
  return any?.found === false;
}

/** Reads each automatic promotion by an index (`promotions_automatic`), and each entered code by another. */
const considered = `
  with entered as (
    select code, code_key, row_number() over (order by created_at, code_key) as position
      from promotion_cart_codes where tenant_id = $1 and cart_id = $5
    union all
    select typed.code, typed.code_key, typed.position + 1000
      from unnest($6::text[], $8::text[]) with ordinality as typed (code, code_key, position)
  ),
  found as (
    select id, null as code, 0 as position, false as is_disabled, false as is_used_up
      from promotions
     where tenant_id = $1 and automatic and status = 'active' and deleted_at is null
       and (starts_at is null or starts_at <= $2) and (ends_at is null or ends_at > $2)
    union all
    select codes.promotion_id, entered.code, entered.position, codes.disabled_at is not null,
           coalesce(codes.claimed >= codes.max_uses, false)
      from entered
      left join promotion_codes codes on codes.tenant_id = $1 and codes.code_key = entered.code_key
  )
  select promotions.id, promotions.label, promotions.priority, promotions.exclusive,
         ${storedDiscount} as discount, promotions.rules, promotions.max_uses_per_customer, found.code,
         found.is_disabled or promotions.status <> 'active' as is_disabled,
         coalesce(promotions.starts_at > $2, false) as is_not_started,
         coalesce(promotions.ends_at <= $2, false) as is_expired,
         found.is_used_up or coalesce(promotions.claimed >= promotions.max_uses, false)
           or coalesce((select customers.uses >= promotions.max_uses_per_customer from promotion_customers customers
                         where customers.tenant_id = $1 and customers.promotion_id = promotions.id
                           and customers.customer_key = $7), false) as is_used_up,
         case when (promotions.rules ->> 'firstOrder')::boolean then ${hasOrdered('$3', '$4')} else false end
           as has_ordered
    from found
    left join promotions
      on promotions.tenant_id = $1 and promotions.id = found.id and promotions.deleted_at is null
   order by promotions.priority desc nulls last, promotions.created_at, promotions.id, found.position`;

/** The customer, the time, and where the codes come from. */
interface ConsiderInput {
  time: Date;
  memberId: string | null;
  email: string | null;
  /** A cart with its codes. */
  cartId: string | null;
  /** Further codes, considered behind those of the cart. */
  codes: readonly string[];
}

/**
 * Reads the active automatic promotions and the entered codes in one statement, in the order in which promotions apply:
 * by priority, then by creation. Automatic promotions that are used up are left out.
 */
export async function readConsidered(
  db: TenantDatabase,
  { time, memberId, email, cartId, codes }: ConsiderInput,
): Promise<Considered[]> {
  if (cartId === null && codes.length === 0 && (await hasNoneWithoutCodes(db))) return [];
  const key = customerKeyOf(memberId, email);
  const found = await db.query<ConsideredRow>(considered, [
    time,
    memberId,
    email?.toLowerCase() ?? null,
    cartId,
    codes,
    key,
    codes.map(codeKey),
  ]);
  return found.map(consideredOf).filter(({ code, unusable }) => code !== null || unusable === null);
}

function consideredOf({ code, hasOrdered, isDisabled, isNotStarted, isExpired, isUsedUp, ...row }: ConsideredRow) {
  const { id, ...promotion } = row;
  if (id === null) return { code, promotion: null, unusable: 'unknown' as const, hasOrdered: false };
  const checks = [
    [isDisabled, 'disabled'],
    [isNotStarted, 'not_started'],
    [isExpired, 'expired'],
    [isUsedUp, 'used_up'],
  ] as const;
  const unusable = checks.find(([fails]) => fails)?.[1] ?? null;
  return { code, promotion: { id, ...promotion }, unusable, hasOrdered };
}
