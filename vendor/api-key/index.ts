/**
 * @carton/api-key: API keys for integrations.
 */
import { staffKeyrings } from '@carton/auth';
import { accessKinds, definePackage, storefrontKeys } from '@carton/runtime';
import { apiKeyAccess, isStorefrontKey } from './access.ts';
import { apiKeyCreated, apiKeyRevoked, apiKeyRotated } from './events.ts';
import { keyRoutes, rotateApiKey } from './routes.ts';
import { apiKeyring } from './service.ts';

export default definePackage({
  routes: [...keyRoutes, rotateApiKey],
  events: [apiKeyCreated, apiKeyRevoked, apiKeyRotated],
  extends: [accessKinds.with(apiKeyAccess), staffKeyrings.with(apiKeyring), storefrontKeys.with(isStorefrontKey)],
});
