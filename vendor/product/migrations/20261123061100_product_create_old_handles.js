export const up = (knex) =>
  knex.raw(`
    create table product_old_handles (
      tenant_id uuid not null,
      handle text not null,
      product_id uuid not null,
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, handle),
      foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade
    );
    create index product_old_handles_product on product_old_handles (tenant_id, product_id);
  `);

export const down = (knex) => knex.raw('drop table product_old_handles');
