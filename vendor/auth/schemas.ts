/**
 * Shapes that several subjects share.
 */
import {
  DateTime,
  Email,
  externalFields,
  humanText,
  Locale,
  nullable,
  object,
  oneOf,
  type Static,
  Type,
  Uuid,
} from '@carton/runtime';
import { Role } from './permissions/roles.ts';

export const Name = humanText(120, { examples: ['Ada Lovelace'] });
export const StaffStatus = oneOf(['active', 'disabled'], { description: 'A disabled person cannot log in' });
export const exampleToken = 'Jm4PZbT0rjYp3hL1sVw8QkXc6NfUgE2aMdRyOiB5H7t';
export const Token = Type.String({ minLength: 20, maxLength: 100, examples: [exampleToken] });

export const StaffUser = object(
  {
    id: Uuid,
    email: Email,
    name: Name,
    role: Role,
    status: StaffStatus,
    locale: nullable(Locale),
    ...externalFields,
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'StaffUser' },
);
export type StaffUser = Static<typeof StaffUser>;
