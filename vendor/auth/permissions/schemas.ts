/**
 * Shapes of the keys of a member of staff.
 */
import { DateTime, nullable, object, type Static, Type, Uuid } from '@carton/runtime';

export const KeyPermissions = Type.Array(Type.String({ examples: ['order:read'] }), {
  description:
    'What the key may do now: its scopes, as far as the person responsible and the keys above it have these permissions. ' +
    'Empty once it has ended',
});

/** An API key, as shown with the person responsible for it. */
export const StaffKey = object(
  {
    id: Uuid,
    name: Type.String({ examples: ['Warehouse'] }),
    lastFour: Type.String({ examples: ['9f3a'] }),
    permissions: KeyPermissions,
    createdAt: DateTime,
    revokedAt: nullable(DateTime),
  },
  { $id: 'StaffKey' },
);

export type StaffKey = Static<typeof StaffKey>;
