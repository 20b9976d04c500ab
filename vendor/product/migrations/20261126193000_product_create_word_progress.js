// How far a job has written the words of products that earlier releases have stored without SKUs and without accents.
export const up = (knex) =>
  knex.raw(`
    create table product_word_progress (
      tenant_id uuid primary key references tenants (id),
      filled_to uuid,
      completed_at timestamptz(3)
    );
  `);

export const down = (knex) => knex.raw('drop table product_word_progress');
