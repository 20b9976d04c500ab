/**
 * Events of API keys.
 */
import { defineEvent, object, Type } from '@carton/runtime';

const payload = object({ kind: Type.String(), lastFour: Type.String() });

export const apiKeyCreated = defineEvent({ type: 'api_key.created', summary: 'An API key was created', payload });
export const apiKeyRotated = defineEvent({
  type: 'api_key.rotated',
  summary: 'The text of an API key was replaced',
  payload,
});
export const apiKeyRevoked = defineEvent({ type: 'api_key.revoked', summary: 'An API key was revoked', payload });
