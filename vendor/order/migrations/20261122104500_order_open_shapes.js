// variant_id, product_id and variant_title: null of a line that is no variant of the catalogue. properties: what the
// shopper chose or wrote for the line. region_id and locale: those of the sale.
// What an entry of the history is about and who acts is up to packages.
export const up = (knex) =>
  knex.raw(`
    alter table order_line_items alter column variant_id drop not null;
    alter table order_line_items alter column product_id drop not null;
    alter table order_line_items alter column variant_title drop not null;
    alter table order_line_items add column properties jsonb not null default '{}';
    alter table orders add column region_id uuid;
    alter table orders add column locale text;
    alter table order_events drop constraint order_events_type_check;
    alter table order_events drop constraint order_events_actor_type_check;
  `);

// Custom lines stay, and so do entries of packages: only what is written from now on is checked.
export const down = (knex) =>
  knex.raw(`
    alter table order_events add constraint order_events_actor_type_check
      check (actor_type in ('shopper', 'staff', 'api_key', 'operator', 'system')) not valid;
    alter table order_events add constraint order_events_type_check
      check (type in ('placed', 'updated', 'canceled', 'archived', 'note', 'payment')) not valid;
    alter table orders drop column locale;
    alter table orders drop column region_id;
    alter table order_line_items drop column properties;
    alter table order_line_items
      add constraint order_line_items_of_variant
        check (variant_id is not null and product_id is not null and variant_title is not null) not valid;
  `);
