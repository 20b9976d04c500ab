/**
 * What the operator of a box says about its merchants' hosts.
 */
import { Resolver } from 'node:dns/promises';
import { packageSettings, Type } from '@carton/runtime';

export const tenantSettings = packageSettings(
  {
    TENANT_HOST_LIMIT: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 20,
      description: 'Most hosts of one merchant',
    }),
    DNS_SERVERS: Type.Optional(
      Type.String({
        description:
          "DNS servers that are asked whether a merchant's host is theirs: `192.0.2.1, 192.0.2.2:5353`; the machine's own unless given",
      }),
    ),
  },
  ({ TENANT_HOST_LIMIT, DNS_SERVERS }) => ({ mostHosts: TENANT_HOST_LIMIT, dnsServers: readServers(DNS_SERVERS) }),
);

/** @throws Error naming the setting, for what is no address */
function readServers(text = ''): string[] {
  const servers = text.split(',').flatMap((part) => part.trim() || []);
  try {
    new Resolver().setServers(servers);
  } catch (error) {
    throw new Error(`DNS_SERVERS: ${(error as Error).message}`);
  }
  return servers;
}
