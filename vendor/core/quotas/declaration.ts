/**
 * What a quota is. Packages declare quotas, the operator of the box sets their limits for each tenant.
 */
import { extensionPoint, type HasExtensions, type TenantDatabase } from '@carton/runtime';

/** What a package limits for each tenant. It has `kept`, `live` or both; the usage is their sum. */
export interface TenantQuota {
  /** Its property of `quotas`: `products`. */
  readonly name: string;
  /** Of limits and usage, in the plural: `products`, `MiB`. */
  readonly unit: string;
  readonly description: string;
  /** What the functions count for one of the unit: bytes of a MiB. Default: 1 */
  readonly perUnit?: number;
  /** The limit of tenants for which the operator has set none, in the unit; null for none. Default: null */
  defaultLimit?(box: HasExtensions): number | null;
  /**
   * Counts the rows whose count is kept: all of them, as they are in the transaction. Called once for a tenant, and then
   * daily by a job, which corrects what an older release has changed.
   */
  kept?(db: TenantDatabase): Promise<number>;
  /**
   * Counts what each change counts, so it must read few rows.
   * @param most the result may be this if there are more
   */
  live?(db: TenantDatabase, most: number): Promise<number>;
}
export const tenantQuotas = extensionPoint<TenantQuota>('core.tenant-quotas');

/** The quotas of a box. @throws Error if two have the same name */
export function quotasOf(box: HasExtensions): readonly TenantQuota[] {
  const quotas = tenantQuotas.of(box);
  const names = quotas.map(({ name }) => name);
  const duplicate = names.find((name, position) => names.indexOf(name) !== position);
  if (duplicate !== undefined) throw new Error(`two packages declare the quota ${duplicate}`);
  return quotas;
}

/** A count in the unit. Parts of a unit are rounded up to hundredths, so that something is never nothing. */
export function inUnits({ perUnit = 1 }: TenantQuota, count: number): number {
  return Math.ceil((count / perUnit) * 100) / 100;
}
