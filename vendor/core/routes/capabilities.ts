/**
 * The route of the box's capabilities.
 */
import { route } from '@carton/runtime';
import { Capabilities } from '../schemas.ts';

export const readCapabilities = route(
  {
    method: 'get',
    path: '/admin/capabilities',
    operationId: 'readCapabilities',
    tag: 'Box',
    summary: 'List the tier, packages and versions of this box',
    access: 'staff',
    status: 200,
    response: Capabilities,
  },
  ({ box }) => ({
    tier: box.tier,
    packages: box.packages.map(({ fullName, version, tier }) => ({ name: fullName, version, tier })),
  }),
);
