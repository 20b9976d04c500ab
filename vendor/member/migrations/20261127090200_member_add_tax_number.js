// tax_number: the member's number for value added tax, the default of their cart.
export const up = (knex) => knex.raw('alter table members add column tax_number text');

export const down = (knex) => knex.raw('alter table members drop column tax_number');
