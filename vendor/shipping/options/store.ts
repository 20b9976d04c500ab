/**
 * Queries of options and their rates.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import { shippingOptionCodeTaken } from '../problems.ts';
import type { ShippingOption, ShippingRate } from './schemas.ts';

/** SQL for the rates of an option, in their order. @param option the name of the table or its alias */
export const ratesOf = (option: string) => `
  select coalesce(json_agg(json_build_object('currency', currency, 'from', from_value, 'to', to_value,
                                             'amount', amount) order by currency, from_value), '[]')
    from shipping_rates rates where rates.tenant_id = ${option}.tenant_id and rates.option_id = ${option}.id`;

export const shippingOptions = rows<ShippingOption>({
  table: 'shipping_options',
  noun: 'shipping option',
  json: ['freeFrom', 'metadata'],
  computed: { rates: ratesOf('shipping_options') },
  duplicates: { shipping_options_code: shippingOptionCodeTaken },
});

/** Replaces the rates of an option, which must be locked. */
export async function putRates(tx: TenantDatabase, optionId: string, rates: readonly ShippingRate[]): Promise<void> {
  await tx.remove('shipping_rates', { optionId });
  await tx.insertMany(
    'shipping_rates',
    rates.map(({ currency, from, to, amount }) => ({ optionId, currency, fromValue: from, toValue: to, amount })),
  );
}
