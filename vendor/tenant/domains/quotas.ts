/**
 * The quota of hosts.
 */
import type { TenantQuota } from '@carton/core';
import { tenantSettings } from '../settings.ts';
import { countHosts } from './store.ts';

export const hostQuota: TenantQuota = {
  name: 'hosts',
  unit: 'hosts',
  description: 'Hosts, also those that are not verified',
  defaultLimit: (box) => tenantSettings.of(box).mostHosts,
  live: countHosts,
};
