/**
 * The schema of what may be chosen for a sale.
 */
import { type HasExtensions, object, type TSchema, Type } from '@carton/runtime';
import { stepsOf } from './totals.ts';

/** Schema of a sale's choices in a box, by step name: for the body of a route declared with `withOverrides`. */
export function choicesSchema(box: HasExtensions): TSchema {
  const choices = stepsOf(box).flatMap(({ name, choice }) => (choice ? [[name, Type.Optional(choice)]] : []));
  return object(Object.fromEntries(choices), { $id: 'SaleChoices', description: 'Choices by the name of the step' });
}
