/**
 * @carton/core: tenants, their stores and number sequences. As the package in every box, it also mounts the engine's
 * own routes, job and settings, with permissions of its own name.
 */
import {
  definePackage,
  deleteOldRows,
  eventDeliveryRoutes,
  personalData,
  retention,
  tenantDirectories,
} from '@carton/runtime';
import { storeUpdated } from './events.ts';
import { storedResponses } from './persons.ts';
import { recountQuotas } from './quotas/limits.ts';
import { readCapabilities, readStore, readStoreProfile, updateStore } from './routes.ts';
import { findAllowedOrigins } from './store.ts';
import { findOnlyTenant, findTenantBySlug } from './tenants/store.ts';

export { handleOfTitle, namedHandle } from './handles.ts';
export { drawOrderNumber, lockOrderNumbers, skipOrderNumber } from './order-numbers/service.ts';
export { slugTaken } from './problems.ts';
export { claimQuota, type QuotaClaim, releaseQuota, requireRoom } from './quotas/claims.ts';
export { type TenantQuota, tenantQuotas } from './quotas/declaration.ts';
export { type QuotaLimits, readQuotas, setQuotaLimits } from './quotas/limits.ts';
export { quotaExceeded } from './quotas/problems.ts';
export { quotaLimitsSchema, TenantQuotaUsage } from './quotas/schemas.ts';
export { type Store, Store as StoreSettings, weightUnits } from './schemas.ts';
export {
  addCurrency,
  type CurrencyUse,
  changeStore,
  currencyUses,
  type StoreCheck,
  storeChecks,
} from './service.ts';
export {
  linkPage,
  reservedSetting,
  reservedStoreFields,
  type StoredSettings,
  type StoreSettingsGroup,
  staffPermits,
  storeSettings,
  storeSettingsGroups,
} from './settings/declaration.ts';
export { findStore, localesInUse, ownStore } from './store.ts';
export { type StoreTask, storeTasks } from './tasks/service.ts';
export { type ExportedFile, ExportedFileMissing, type TenantFiles, tenantFiles } from './tenants/exports.ts';
export { removeDeletedTenant, type TenantRemoval, tenantRemovals } from './tenants/removal.ts';
export { type FirstStaffInviter, firstStaffInviters, type NewTenant, openTenant } from './tenants/service.ts';
export {
  deleteTenantAfter,
  findOwnAccount,
  findTenantById,
  joinedTenant,
  listTenantRows,
  type TenantRow,
  updateTenant,
} from './tenants/store.ts';

export default definePackage({
  routes: [readStoreProfile, readStore, updateStore, readCapabilities, ...eventDeliveryRoutes],
  events: [storeUpdated],
  jobs: [deleteOldRows, recountQuotas],
  settings: retention,
  boxTables: ['tenants'],
  extends: [
    tenantDirectories.with({ bySlug: findTenantBySlug, only: findOnlyTenant, origins: findAllowedOrigins }),
    personalData.with(storedResponses),
  ],
});
