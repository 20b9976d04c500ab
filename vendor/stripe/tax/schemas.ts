/**
 * The part of Stripe's tax calculations that the box reads. Source: https://docs.stripe.com/api/tax/calculations
 */
import { type Static, Type } from '@carton/runtime';

const Amount = Type.Integer({ minimum: 0 });

const Breakdown = Type.Object({
  amount: Amount,
  tax_rate_details: Type.Union([
    Type.Null(),
    Type.Object({ display_name: Type.String(), percentage_decimal: Type.String(), tax_type: Type.String() }),
  ]),
  taxability_reason: Type.String(),
});
export type Breakdown = Static<typeof Breakdown>;

const Taxed = {
  amount: Amount,
  amount_tax: Amount,
  tax_behavior: Type.String(),
  tax_breakdown: Type.Optional(Type.Union([Type.Null(), Type.Array(Breakdown)])),
};
export type Taxed = Static<typeof LineItem> | Static<typeof Shipping>;

const LineItem = Type.Object({ id: Type.String(), reference: Type.String(), ...Taxed });
const Shipping = Type.Object(Taxed);

export const LineItems = Type.Object({ data: Type.Array(LineItem), has_more: Type.Boolean() });

export const Calculation = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255 }),
  currency: Type.String(),
  amount_total: Amount,
  tax_amount_exclusive: Amount,
  tax_amount_inclusive: Amount,
  line_items: LineItems,
  shipping_cost: Type.Union([Type.Null(), Shipping]),
});
export type Calculation = Static<typeof Calculation>;
