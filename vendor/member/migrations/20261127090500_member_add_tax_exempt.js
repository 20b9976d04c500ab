// tax_exempt: why the member buys without tax; null for one who does not.
export const up = (knex) => knex.raw('alter table members add column tax_exempt text');

export const down = (knex) => knex.raw('alter table members drop column tax_exempt');
