/**
 * Events of the second factor.
 */
import { defineEvent, object, Type, Uuid } from '@carton/runtime';

export const secondFactorEnabled = defineEvent({
  type: 'staff.second_factor_enabled',
  summary: 'A member of staff enabled a second factor',
  payload: object({}),
});

export const secondFactorDisabled = defineEvent({
  type: 'staff.second_factor_disabled',
  summary: 'A member of staff disabled the second factor',
  payload: object({}),
});

export const secondFactorReset = defineEvent({
  type: 'staff.second_factor_reset',
  summary: 'The second factor of a member of staff was removed by someone else',
  payload: object({ actorType: Type.String(), actorId: Uuid }),
});
