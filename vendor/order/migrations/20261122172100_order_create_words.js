// Row-level security uses an index only for comparisons of plain columns, so the texts that orders are searched by are
// stored here: number and name in lower case from the beginning of each of their words, and the e-mail address. The next
// migration fills the table.
export const up = (knex) =>
  knex.raw(`
    create table order_words (
      tenant_id uuid not null,
      order_id uuid not null,
      word_from text collate "C" not null,
      constraint order_words_pkey primary key (tenant_id, order_id, word_from)
    );
    create index orders_member on orders (tenant_id, member_id, created_at, id) where member_id is not null;
    create index orders_currency on orders (tenant_id, currency, created_at, id);
    create index orders_total on orders (tenant_id, currency, total_amount, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index orders_total;
    drop index orders_currency;
    drop index orders_member;
    drop table order_words;
  `);
