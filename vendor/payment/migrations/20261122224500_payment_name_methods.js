// name and instructions: what shoppers read of the method, as staff wrote it; null for the name of its code, and for none.
export const up = (knex) =>
  knex.raw(`
    alter table payment_methods add column name text;
    alter table payment_methods add column instructions text;
  `);

export const down = (knex) =>
  knex.raw(`
    alter table payment_methods drop column instructions;
    alter table payment_methods drop column name;
  `);
