// Row-level security takes an index only for comparisons of plain columns, so what a text is looked for in stands here:
// the title, in lower case, from the beginning of each of its words on. The next migration fills it.
export const up = (knex) =>
  knex.raw(`
    create table product_title_words (
      tenant_id uuid not null,
      product_id uuid not null,
      -- That of the product.
      status text not null,
      word_from text collate "C" not null,
      primary key (tenant_id, status, word_from, product_id)
    );
  `);

export const down = (knex) => knex.raw('drop table product_title_words');
