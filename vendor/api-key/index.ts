/**
 * @carton/api-key: keys for integrations.
 */
import { staffKeyrings } from '@carton/auth';
import { accessKinds, definePackage } from '@carton/runtime';
import { apiKeyAccess } from './access.ts';
import { apiKeyCreated, apiKeyRevoked } from './events.ts';
import { createApiKey, listApiKeys, readApiKey, revokeApiKey, updateApiKey } from './routes/api-keys.ts';
import { apiKeyring } from './service.ts';

export { findApiKey } from './access.ts';
export type { ApiKey } from './schemas.ts';

export default definePackage({
  routes: [listApiKeys, createApiKey, readApiKey, updateApiKey, revokeApiKey],
  events: [apiKeyCreated, apiKeyRevoked],
  extends: [accessKinds.with(apiKeyAccess), staffKeyrings.with(apiKeyring)],
});
