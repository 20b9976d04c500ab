/**
 * The operator's settings for hosts, deletion and export of tenants.
 */
import { Resolver } from 'node:dns/promises';
import { packageSettings, Type } from '@carton/runtime';

export const tenantSettings = packageSettings(
  {
    TENANT_HOST_LIMIT: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 20,
      description: 'The maximum number of hosts of a tenant for which the operator sets no other quota',
    }),
    TENANT_DELETION_DAYS: Type.Integer({
      minimum: 1,
      maximum: 3650,
      default: 30,
      description: 'Days after which the data of a deleted tenant is removed',
    }),
    TENANT_EXPORT_FOLDER: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "The folder of exports, the same for all replicas; `data/exports` in the box's folder by default",
      }),
    ),
    TENANT_EXPORT_HOURS: Type.Integer({
      minimum: 1,
      maximum: 720,
      default: 72,
      description: 'Hours for which the file of an export is stored',
    }),
    DNS_SERVERS: Type.Optional(
      Type.String({
        description: "DNS servers used to verify hosts: `192.0.2.1, 192.0.2.2:5353`; default: the machine's own",
      }),
    ),
  },
  ({ TENANT_HOST_LIMIT, TENANT_DELETION_DAYS, TENANT_EXPORT_FOLDER, TENANT_EXPORT_HOURS, DNS_SERVERS }) => ({
    mostHosts: TENANT_HOST_LIMIT,
    deletionDays: TENANT_DELETION_DAYS,
    exportFolder: TENANT_EXPORT_FOLDER ?? null,
    exportHours: TENANT_EXPORT_HOURS,
    dnsServers: readServers(DNS_SERVERS),
  }),
);

/** @throws Error naming the setting if it has an invalid address */
function readServers(text = ''): string[] {
  const servers = text.split(',').flatMap((part) => part.trim() || []);
  try {
    new Resolver().setServers(servers);
  } catch (error) {
    throw new Error(`DNS_SERVERS: ${(error as Error).message}`);
  }
  return servers;
}
