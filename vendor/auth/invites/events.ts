/**
 * Events of invites.
 */
import { defineEvent, object, Type } from '@carton/runtime';

export const staffInvited = defineEvent({
  type: 'staff.invited',
  summary: 'A person was invited to join the staff of the store',
  payload: object({ role: Type.String() }),
});

export const staffJoined = defineEvent({
  type: 'staff.joined',
  summary: 'An invited person joined the staff of the store',
  payload: object({ role: Type.String() }),
});
