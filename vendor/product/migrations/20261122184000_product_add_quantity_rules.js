export const up = (knex) =>
  knex.raw(`
    -- The quantities of a variant that one order may have: from min to max, in multiples of the step.
    alter table products add column min_quantity integer not null default 1;
    alter table products add column max_quantity integer;
    alter table products add column quantity_step integer not null default 1;
    alter table products add constraint products_quantities
      check (min_quantity >= 1 and quantity_step >= 1 and max_quantity >= min_quantity);
  `);

export const down = (knex) =>
  knex.raw(`
    alter table products drop constraint products_quantities;
    alter table products drop column quantity_step;
    alter table products drop column max_quantity;
    alter table products drop column min_quantity;
  `);
