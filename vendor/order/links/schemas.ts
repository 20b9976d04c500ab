/**
 * Schemas of links to orders.
 */
import { Token } from '@carton/auth';
import { KnownEmail, object, Type } from '@carton/runtime';

export const LookUpOrder = object(
  { number: Type.String({ minLength: 1, maxLength: 100, examples: ['1001'] }), email: KnownEmail },
  { $id: 'LookUpOrder' },
);
export const OpenOrderLink = object({ token: Token }, { $id: 'OpenOrderLink' });
