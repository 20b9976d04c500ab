/**
 * Rules of options.
 */
import { invalidField, publishedWrites, type TenantDatabase } from '@carton/runtime';
import { shippingProfiles } from '../profiles/store.ts';
import { shippingZones } from '../zones/store.ts';
import { shippingOptionEvents } from './events.ts';
import type { ChangeShippingOption, CreateShippingOption, ShippingOption, ShippingRate } from './schemas.ts';
import { rateSourcesOf } from './sources.ts';
import { putRates, shippingOptions } from './store.ts';

const { create, change, remove } = publishedWrites(shippingOptions, shippingOptionEvents, 'shipping_option');

/** @throws invalid_request (400), shipping_option_code_taken (409), external_id_taken (409) */
export function createOption(db: TenantDatabase, { rates, ...fields }: CreateShippingOption): Promise<ShippingOption> {
  return create(db, async (tx) => {
    await check(tx, { ...fields, rates });
    const { id } = await shippingOptions.insert(tx, fields);
    await putRates(tx, id, rates as ShippingRate[]);
    return shippingOptions.require(tx, id);
  });
}

/** Orders do not change. @throws not_found (404), invalid_request (400), shipping_option_code_taken (409) */
export function changeOption(
  db: TenantDatabase,
  id: string,
  { rates, ...fields }: ChangeShippingOption,
): Promise<ShippingOption> {
  return change(db, id, async (tx, before) => {
    await check(tx, { ...before, ...fields, rates: rates ?? before.rates });
    await shippingOptions.change(tx, id, fields);
    if (rates) await putRates(tx, id, rates as ShippingRate[]);
    return shippingOptions.require(tx, id);
  });
}

/** Carts that have chosen it cannot be ordered until they choose another. @throws not_found (404) */
export function deleteOption(db: TenantDatabase, id: string): Promise<void> {
  return remove(db, id);
}

type Checked = Pick<CreateShippingOption, 'carrierService' | 'zoneId' | 'profile' | 'type' | 'freeFrom' | 'rates'>;

/** @throws invalid_request (400) */
async function check(
  tx: TenantDatabase,
  { zoneId, profile, type, freeFrom, rates, carrierService }: Checked,
): Promise<void> {
  const source = rateSourcesOf(tx).find((each) => each.type === type);
  if (!source) throw invalidField('/type', 'is not a type of shipping option');
  source.check?.(rates as ShippingRate[], { carrierService });
  const currencies = freeFrom.map(({ currency }) => currency);
  const duplicate = currencies.findIndex((currency, at) => currencies.indexOf(currency) !== at);
  if (duplicate >= 0) throw invalidField(`/freeFrom/${duplicate}/currency`, 'is a duplicate');
  // The locks keep zone and profile until the option refers to them.
  if (zoneId !== null && !(await shippingZones.lockShared(tx, zoneId))) {
    throw invalidField('/zoneId', 'is not a shipping zone of this store');
  }
  const found = profile === null ? null : await shippingProfiles.findBy(tx, { code: profile });
  if (profile !== null && !(found && (await shippingProfiles.lockShared(tx, found.id)))) {
    throw invalidField('/profile', 'is not the code of a shipping profile of this store');
  }
}
