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
import { readCapabilities } from './routes/capabilities.ts';
import { readStore, readStoreProfile, updateStore } from './routes/store.ts';
import { findAllowedOrigins, findOnlyTenant, findTenantBySlug } from './store.ts';

export { type ExportedFile, ExportedFileMissing, type TenantFiles, tenantFiles } from './exports.ts';
export { claimQuota, type QuotaClaim, quotaExceeded, releaseQuota, requireRoom } from './quotas/claims.ts';
export { type TenantQuota, tenantQuotas } from './quotas/declaration.ts';
export {
  type QuotaLimits,
  quotaLimitsSchema,
  readQuotas,
  setQuotaLimits,
  TenantQuotaUsage,
} from './quotas/limits.ts';
export { removeDeletedTenant, type TenantRemoval, tenantRemovals } from './removal.ts';
export { changeStoreSchema, type Store, Store as StoreSettings, weightUnits } from './schemas.ts';
export {
  addCurrency,
  type CurrencyUse,
  changeStore,
  currencyUses,
  drawOrderNumber,
  type FirstStaffInviter,
  firstStaffInviters,
  lockOrderNumbers,
  type NewTenant,
  openTenant,
  type StoreCheck,
  skipOrderNumber,
  slugTaken,
  storeChecks,
} from './service.ts';
export {
  deleteTenantAfter,
  findOwnAccount,
  findOwnSlug,
  findStore,
  findTenantById,
  listTenantRows,
  localesInUse,
  ownStore,
  type TenantRow,
  updateTenant,
} from './store.ts';
export {
  linkPage,
  reservedSetting,
  reservedStoreFields,
  type StoredSettings,
  type StoreSettingsGroup,
  staffPermits,
  storeSettings,
  storeSettingsGroups,
} from './store-settings.ts';
export { type StoreTask, storeTasks } from './store-tasks.ts';

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
