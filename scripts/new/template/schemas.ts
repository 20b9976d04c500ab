/**
 * Schemas of things.
 */
import { type Static, shapesOf, Type } from '@carton/runtime';

export const shapes = shapesOf({
  name: 'Thing',
  fields: {
    title: Type.String({ minLength: 1, maxLength: 200, examples: ['Summer'] }),
  },
});
export type Thing = Static<typeof shapes.Item>;
export type CreateThing = Static<typeof shapes.Create>;
export type ChangeThing = Static<typeof shapes.Change>;
