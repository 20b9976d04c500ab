// tax_number: the buyer's number for value added tax; blank for none, also if the member has one.
export const up = (knex) => knex.raw('alter table carts add column tax_number text');

export const down = (knex) => knex.raw('alter table carts drop column tax_number');
