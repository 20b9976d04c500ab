/**
 * Shapes of the change of an e-mail address.
 */
import { Email, object, type Static, Type, withOptions } from '@carton/runtime';
import { ExistingPassword } from '../passwords/schemas.ts';
import { Token } from '../schemas.ts';
import { Code } from '../second-factor/schemas.ts';

export const RequestEmailChange = object(
  {
    email: withOptions(Email, { description: 'The new address' }),
    password: ExistingPassword,
    code: Type.Optional(withOptions(Code, { description: 'Required while the second factor is enabled' })),
  },
  { $id: 'RequestEmailChange' },
);
export type RequestEmailChange = Static<typeof RequestEmailChange>;
export const ConfirmEmailChange = object({ token: Token }, { $id: 'ConfirmEmailChange' });
