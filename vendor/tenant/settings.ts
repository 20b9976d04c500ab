/**
 * The operator's settings for hosts of tenants.
 */
import { Resolver } from 'node:dns/promises';
import { packageSettings, Type } from '@carton/runtime';

export const tenantSettings = packageSettings(
  {
    TENANT_HOST_LIMIT: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 20,
      description: 'The maximum number of hosts per tenant',
    }),
    DNS_SERVERS: Type.Optional(
      Type.String({
        description: "DNS servers used to verify hosts: `192.0.2.1, 192.0.2.2:5353`; default: the machine's own",
      }),
    ),
  },
  ({ TENANT_HOST_LIMIT, DNS_SERVERS }) => ({ mostHosts: TENANT_HOST_LIMIT, dnsServers: readServers(DNS_SERVERS) }),
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
