/**
 * Events of auth.
 */
import { defineEvent, Email, object, Type } from '@carton/runtime';

export const staffInvited = defineEvent({
  type: 'staff.invited',
  summary: 'Somebody was invited to work for the shop',
  payload: object({ email: Email, role: Type.String() }),
});
export const staffJoined = defineEvent({
  type: 'staff.joined',
  summary: 'An invited person has joined',
  payload: object({ email: Email, role: Type.String() }),
});
