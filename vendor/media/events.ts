/**
 * Events of media.
 */
import { defineEvent, object, Type } from '@carton/runtime';
import { Kind, MediaType } from './assets/schemas.ts';

const payload = object({ kind: Kind, mediaType: MediaType, size: Type.Integer() });

export const mediaCreated = defineEvent({ type: 'media.created', summary: 'A media asset was created', payload });
export const mediaDeleted = defineEvent({ type: 'media.deleted', summary: 'A media asset was deleted', payload });
