/**
 * The totals of a scenario, computed by the steps that the packages contribute to carts, and the order made of them.
 */
import { type Adjustment, cartTotals, type LineFacts, runTotals, type Sale, type TotalsDraft } from '@carton/cart';
import type { OrderDraft } from '@carton/order';
import payment from '@carton/payment';
import promotion from '@carton/promotion';
import type { PackageDefinition } from '@carton/runtime';
import shipping from '@carton/shipping';
import tax from '@carton/tax';
import { rowOf } from '../../vendor/order/placing/service.ts';
import type { OrderRow } from '../../vendor/order/store.ts';
import type { Scenario } from './scenario.ts';

/** The contributed steps, in the order in which carts run them. */
const steps = [promotion, shipping, payment, tax]
  .flatMap(({ extends: contributions = [] }: PackageDefinition) => contributions)
  .flatMap(({ point, value }) => (point === cartTotals ? [value as ReturnType<typeof cartTotals.of>[number]] : []))
  .toSorted((one, other) => one.order - other.order);

/** The names of the steps. */
export const stepNames = steps.map(({ name }) => name);

/** Conditions name the ids of the lines that meet them. */
const facts: LineFacts = {
  holds: ({ argument }, line) => (argument as { ids: string[] }).ids.includes(line?.id ?? ''),
};

/** What each step would have read from the database. */
function readOf(name: string, scenario: Scenario): unknown {
  const { promotions, shipping, payment, roundTo, rates, roundPer, rounding, shippingCategory } = scenario;
  if (name === 'paymentMethod') return { method: payment, step: roundTo };
  if (name === 'shipping') return shipping;
  if (name === 'tax')
    return { rates, settings: { roundPer, rounding, shippingCategory }, isExempt: false, quotes: null };
  return promotions;
}

export function totalsOf(scenario: Scenario): TotalsDraft {
  const { currency, taxInclusive, shippingTaxInclusive, lines } = scenario;
  const sale: Sale = {
    ...{ cartId: null, choices: {}, currency, regionId: null, memberId: null, channelId: null, locale: null },
    ...{ email: 'ada@example.com', shippingAddress: null, billingAddress: null, time: new Date(0), lines: [] },
  };
  const ready = steps.map((step) => {
    const read = readOf(step.name, scenario);
    return {
      name: step.name,
      adjust: (draft: TotalsDraft): readonly Adjustment[] => step.adjust(draft, read, facts),
      rounding: (draft: TotalsDraft) => step.rounding?.(draft, read) ?? 0,
    };
  });
  return runTotals({ sale, region: { id: 'region', taxInclusive, shippingTaxInclusive } }, lines, ready);
}

/** The rows of the order of a sale. */
export function orderOf({ sale: { currency }, lines, adjustments, totals }: TotalsDraft): OrderRow {
  const draft: OrderDraft = {
    ...{ number: '1', cartId: null, sessionHash: null, memberId: null, currency, adjustments, totals },
    customer: { email: 'ada@example.com' },
    lines: lines.map(({ id, quantity, unitPrice, total }) => ({
      ...{ id, lineId: id, variantId: null, productId: null, sku: null, title: id, variantTitle: null },
      ...{ quantity, unitAmount: unitPrice, totalAmount: total },
    })),
  };
  return rowOf(draft);
}
