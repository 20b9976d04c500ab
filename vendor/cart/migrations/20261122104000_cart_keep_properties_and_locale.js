// Two lines of one variant stand beside each other where their properties differ: an engraving, a plan. properties_key is
// a hash of them, empty for none. locale: BCP 47, as the shopper reads the shop; the order keeps it.
export const up = (knex) =>
  knex.raw(`
    alter table carts add column locale text;
    alter table cart_line_items add column properties jsonb not null default '{}';
    alter table cart_line_items add column properties_key text not null default '';
    alter table cart_line_items drop constraint cart_line_items_once;
    alter table cart_line_items add constraint cart_line_items_once
      unique (tenant_id, cart_id, variant_id, properties_key);
  `);

// Without properties there is one line of a variant again, so those that have some go.
export const down = (knex) =>
  knex.raw(`
    delete from cart_line_items where properties_key <> '';
    alter table cart_line_items drop constraint cart_line_items_once;
    alter table cart_line_items add constraint cart_line_items_once unique (tenant_id, cart_id, variant_id);
    alter table cart_line_items drop column properties_key;
    alter table cart_line_items drop column properties;
    alter table carts drop column locale;
  `);
