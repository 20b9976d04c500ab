// tax_number: the buyer's number for value added tax.
export const up = (knex) => knex.raw('alter table orders add column tax_number text');

export const down = (knex) => knex.raw('alter table orders drop column tax_number');
