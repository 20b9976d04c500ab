/**
 * Problems of API keys.
 */
import { defineProblem } from '@carton/runtime';

export const keyRevoked = defineProblem({
  code: 'api_key_revoked',
  status: 409,
  title: 'This API key has been revoked',
});
