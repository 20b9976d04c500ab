// Orders with a word, or a total, are listed newest first from an index alone. created_at of order_words is that of the
// order; the default is that of an order which the same transaction inserts. word is the text up to the next separator:
// few different words begin with a name, while many different names do.
const separators =
  '\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u2000-\\u206f\\u3000-\\u3004';

export const up = (knex) =>
  knex.raw(`
    alter table order_words
      add column created_at timestamptz(3) not null default now(),
      add column word text collate "C"
        generated always as (coalesce(substring(word_from from '^[^${separators}]+'), '')) stored;
    drop index order_words_found;
    update order_words words set created_at = orders.created_at
      from orders
     where orders.tenant_id = words.tenant_id and orders.id = words.order_id and orders.created_at <> words.created_at;
    create index order_words_found on order_words (tenant_id, word_from, created_at, order_id);
    create index order_words_newest on order_words (tenant_id, word, created_at, order_id);
    drop index orders_total;
    create index orders_total on orders (tenant_id, currency, total_amount, created_at, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index orders_total;
    create index orders_total on orders (tenant_id, currency, total_amount, id);
    drop index order_words_newest;
    drop index order_words_found;
    create index order_words_found on order_words (tenant_id, word_from, order_id);
    alter table order_words drop column word, drop column created_at;
  `);
