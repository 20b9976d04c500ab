/**
 * Rounding of totals to what can be paid: coins that exist, or amounts that a provider can charge. What is rounded is the
 * total, after discounts, shipping, fees and taxes, and before gift cards and other tenders: these are payments, and the
 * total of an order must not depend on what a card holds.
 */
import { findStore, storeSettings } from '@carton/core';
import type { Order } from '@carton/order';
import { Currency, divideRounded, nullable, object, type TenantDatabase, Type, withOptions } from '@carton/runtime';
import { boundAdapters } from '../adapters/bound.ts';
import { Method } from '../schemas.ts';

export const roundingSettings = storeSettings('payment', {
  rounding: Type.Array(
    object({
      currency: Currency,
      to: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Minor units', examples: [5] }),
      methods: withOptions(nullable(Type.Array(Method, { maxItems: 50 })), {
        description: 'Codes of payment methods; null for every sale in the currency',
        examples: [['cash_on_delivery']],
      }),
    }),
    {
      maxItems: 200,
      default: [],
      description:
        'Of what totals are multiples, half up, by currency: 5 for five centimes. Of several that apply, the largest does. ' +
        'The rounding is a line of its own, and is not taxed',
    },
  ),
  roundForProviders: Type.Boolean({
    default: false,
    description:
      'Whether totals are rounded to what the provider of the chosen payment method can charge: of Kuwaiti dinars, Stripe ' +
      'takes multiples of ten fils only',
  }),
});

/** A payment method as far as rounding depends on it. */
interface RoundedMethod {
  code: string;
  /** Absent if it is not known: then it is the first provider that offers the code. */
  provider?: string | undefined;
}

/**
 * Of what the totals of a store are multiples, in minor units; 1 for any. Shares the round trip of other reads.
 * @param method the chosen one; null for none
 */
export async function roundingStep(
  db: TenantDatabase,
  currency: string,
  method: RoundedMethod | null,
): Promise<number> {
  const { rounding, roundForProviders } = roundingSettings.of(await findStore(db));
  const applies = (methods: readonly string[] | null) => methods === null || methods.includes(method?.code ?? '');
  const own = rounding.flatMap((each) => (each.currency === currency && applies(each.methods) ? each.to : []));
  const ofProvider = method && roundForProviders ? await stepOfProvider(db, currency, method) : 1;
  return Math.max(1, ofProvider, ...own);
}

async function stepOfProvider(db: TenantDatabase, currency: string, { code, provider }: RoundedMethod) {
  for (const adapter of boundAdapters(db)) {
    const isOfMethod = provider ? adapter.name === provider : (await adapter.methods(db)).includes(code);
    if (isOfMethod) return adapter.stepOf?.(currency) ?? 1;
  }
  return 1;
}

/**
 * What a total is rounded by, half up, to a multiple of the step. What costs something never becomes free: it is one step at
 * least. Nor is any of the tax taken off: where no more than the tax would be left, the total is rounded up.
 */
export function roundingOf({ total, tax }: { total: number; tax: number }, step: number): number {
  if (total <= 0) return 0;
  const rounding = Math.max(1, divideRounded(BigInt(total), BigInt(step))) * step - total;
  return -rounding > Math.max(0, total - tax) ? rounding + step : rounding;
}

/**
 * By how much the rounding of an order changes with another step. It stays once something was refunded, which had its
 * share of it, and where more was received than the order would cost.
 * @param due minor units owed on the order, above zero
 */
export function changeOfRounding({ items, adjustments, totals }: Order, due: number, step: number): number {
  const isRefunded = [...items.map((item) => item.refunded.amount), ...adjustments.map((each) => each.refunded)].some(
    (refunded) => refunded !== null && refunded.amount > 0,
  );
  const { total, tax, rounding } = totals;
  const unrounded = { total: total.amount - rounding.amount, tax: tax.amount };
  const change = roundingOf(unrounded, step) - rounding.amount;
  return isRefunded || due + change < 0 ? 0 : change;
}
