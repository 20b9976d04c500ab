/**
 * Queries of the table of things.
 */
import { rows } from '@carton/runtime';
import type { Thing } from './schemas.ts';

export const things = rows<Thing>({ table: 'things', noun: 'thing', json: ['metadata'] });
