// Null: shipping prices include tax where the prices of goods do, as in earlier releases.
export const up = (knex) => knex.raw('alter table regions add column shipping_tax_inclusive boolean');

export const down = (knex) => knex.raw('alter table regions drop column shipping_tax_inclusive');
