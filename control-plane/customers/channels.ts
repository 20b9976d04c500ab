/**
 * What the licences of customers entitle them to now: tiers and channels of licences that are not revoked.
 */
import type { Tier } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { selectLicenses } from '../license/store.ts';
import { stable } from '../releases/service.ts';

export interface Terms {
  /** Without a licence, the one of the catalogue. */
  channels: string[];
  tiers: Tier[];
}

/** Reads the terms of these customers, also of those without a licence. */
export async function termsOf(db: Knex, customerIds: readonly string[]): Promise<(customerId: string) => Terms> {
  const licences = await selectLicenses(db).whereIn('customerId', [...new Set(customerIds)]);
  const found = new Map<string, Terms>();
  for (const { customerId, channel, tier, status } of licences) {
    if (status === 'revoked') continue;
    const terms = found.get(customerId) ?? { channels: [], tiers: [] };
    if (!terms.channels.includes(channel)) terms.channels.push(channel);
    if (!terms.tiers.includes(tier)) terms.tiers.push(tier);
    found.set(customerId, terms);
  }
  return (customerId) => {
    const { channels, tiers } = found.get(customerId) ?? { channels: [stable], tiers: [] };
    return { channels: channels.sort(), tiers: tiers.sort() };
  };
}
