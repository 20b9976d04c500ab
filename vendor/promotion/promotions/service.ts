/**
 * Rules of promotions as staff manage them.
 */
import { isDeepStrictEqual } from 'node:util';
import { emptyPeriod, invalidField, lockFor, publishedWrites, type TenantDatabase } from '@carton/runtime';
import { promotionEvents } from '../events.ts';
import { promotionLimit } from '../problems.ts';
import { amountLists, columnsOf } from './kinds.ts';
import type { ChangePromotion, CreatePromotion, Promotion } from './schemas.ts';
import { countAutomatic, countUses, deleteCodesOf, type PromotionRow, promotions } from './store.ts';
import { instantOf } from './times.ts';

/** Automatic promotions that are active and have not ended, of one store: every reading of a cart reads them. */
export const maxAutomatic = 100;

const writes = publishedWrites(promotions as never, promotionEvents, 'promotion');

/** @throws invalid_request (400), promotion_limit, external_id_taken (409) */
export function createPromotion(db: TenantDatabase, body: CreatePromotion): Promise<Promotion> {
  return writes.create(db, async (tx) => {
    rejectInvalid(body);
    const { startsAt = null, endsAt = null, ...values } = body;
    const times = await timesOf(tx, { startsAt, endsAt });
    rejectEmptyPeriod(times);
    const promotion = await promotions.insert(tx, { ...columnsFor(values), ...times } as Partial<PromotionRow>);
    await rejectTooMany(tx, promotion);
    return promotion as unknown as Promotion;
  });
}

/** Existing orders do not change. @throws not_found (404), invalid_request (400), promotion_limit, external_id_taken (409) */
export function changePromotion(db: TenantDatabase, id: string, patch: ChangePromotion): Promise<Promotion> {
  return writes.change(db, id, async (tx, row) => {
    const before = row as unknown as PromotionRow;
    const { startsAt, endsAt, ...values } = withoutUnchanged(patch, before);
    rejectInvalid(values);
    const times = await timesOf(tx, { startsAt, endsAt });
    rejectEmptyPeriod({ ...before, ...times });
    // The lock on the promotion keeps orders from using it meanwhile.
    const counted = patch.maxUses ? { claimed: await countUses(tx, id) } : {};
    const promotion = await promotions.change(tx, id, {
      ...columnsFor(values),
      ...times,
      ...counted,
    } as Partial<PromotionRow>);
    await rejectTooMany(tx, promotion);
    return promotion as unknown as Promotion;
  });
}

/** Its codes can be used for other promotions then; existing orders do not change. @throws not_found (404) */
export function deletePromotion(db: TenantDatabase, id: string): Promise<void> {
  return writes.remove(db, id, (tx) => deleteCodesOf(tx, id));
}

/** Without the fields that have their value already: earlier releases took some that are refused today. */
function withoutUnchanged(patch: ChangePromotion, { discount, startsAt, endsAt }: PromotionRow): ChangePromotion {
  const before: Record<string, unknown> = { discount, startsAt: isoOf(startsAt), endsAt: isoOf(endsAt) };
  const isChanged = ([name, value]: [string, unknown]) => !(name in before && isDeepStrictEqual(before[name], value));
  return Object.fromEntries(Object.entries(patch).filter(isChanged));
}

const isoOf = (time: PromotionRow['startsAt']) => time && new Date(time).toISOString();

const columnsFor = <Values extends Pick<ChangePromotion, 'discount'>>({ discount, ...values }: Values) => ({
  ...values,
  ...(discount && columnsOf(discount)),
});

type Times = Pick<ChangePromotion, 'startsAt' | 'endsAt'>;

/** The times of a body that are defined. */
async function timesOf(tx: TenantDatabase, times: Times): Promise<Partial<Record<keyof Times, Date | null>>> {
  const found: Partial<Record<keyof Times, Date | null>> = {};
  for (const name of ['startsAt', 'endsAt'] as const) {
    const value = times[name];
    if (value !== undefined) found[name] = await instantOf(tx, name, value);
  }
  return found;
}

function rejectEmptyPeriod({ startsAt, endsAt }: Partial<Pick<PromotionRow, 'startsAt' | 'endsAt'>>): void {
  if (startsAt && endsAt && new Date(endsAt) <= new Date(startsAt)) {
    throw emptyPeriod('startsAt', 'endsAt');
  }
}

function rejectInvalid({ discount, rules }: Pick<ChangePromotion, 'discount' | 'rules'>): void {
  if (discount && 'percent' in discount && Number(discount.percent.toFixed(5)) !== discount.percent) {
    throw invalidField('/discount/percent', 'has more than five decimals');
  }
  for (const { name, amounts } of discount ? amountLists(discount) : []) {
    rejectDuplicates(`/discount/${name}`, amounts);
    // Not in the schema, by which promotions are read that were created when it was allowed.
    const zero = amounts.findIndex(({ amount }) => amount === 0);
    if (zero >= 0) throw invalidField(`/discount/${name}/${zero}/amount`, 'must be 1 or more: it takes nothing off');
  }
  if (rules) rejectDuplicates('/rules/minimumAmounts', rules.minimumAmounts);
}

function rejectDuplicates(pointer: string, amounts: readonly { currency: string }[]): void {
  const currencies = amounts.map(({ currency }) => currency);
  if (new Set(currencies).size < currencies.length) throw invalidField(pointer, 'names a currency twice');
}

/** @throws promotion_limit (409) */
async function rejectTooMany(tx: TenantDatabase, { automatic, status }: PromotionRow): Promise<void> {
  if (!automatic || status !== 'active') return;
  await lockFor(tx, 'promotion.automatic');
  if ((await countAutomatic(tx)) > maxAutomatic) {
    throw promotionLimit(
      `A store has at most ${maxAutomatic} active automatic promotions. End or disable another one.`,
    );
  }
}
