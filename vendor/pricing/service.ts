/**
 * What prices are of: variants, and regions with their currencies.
 */
import { findVariants } from '@carton/product';
import { findRegion } from '@carton/region';
import { invalidRequest, notFound, type TenantDatabase } from '@carton/runtime';

/** The stored id of a variant. @throws not_found (404), also for a deleted one */
export async function requireVariant(db: TenantDatabase, id: string): Promise<string> {
  const [variant] = (await findVariants(db, [id])).values();
  if (!variant || variant.deleted) throw notFound(`No variant has the id ${id}.`);
  return variant.id;
}

/** @throws invalid_request (400) for an unknown region, or one with another currency */
export async function currencyOfRegion(
  db: TenantDatabase,
  regionId: string,
  requested: string | undefined,
): Promise<string> {
  const region = await findRegion(db, regionId);
  if (!region) throw invalidQuery('/regionId', 'is not a region of this store');
  if (requested !== undefined && requested !== region.currency) {
    throw invalidQuery('/currency', `must be ${region.currency}, the currency of the region`);
  }
  return region.currency;
}

function invalidQuery(pointer: string, detail: string) {
  return invalidRequest(`query ${pointer}: ${detail}`, { errors: [{ in: 'query', pointer, detail }] });
}
