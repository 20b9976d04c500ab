/**
 * The quota of hosts.
 */
import type { TenantQuota } from '@carton/core';
import { tenantSettings } from '../settings.ts';

export const hostQuota: TenantQuota = {
  name: 'hosts',
  unit: 'hosts',
  description: 'Hosts, also those that are not verified',
  defaultLimit: (box) => tenantSettings.of(box).mostHosts,
  async live(db, most) {
    const hosts = await db.query('select 1 from tenant_domains where owner_id = $1 limit $2', [most]);
    return hosts.length;
  },
};
