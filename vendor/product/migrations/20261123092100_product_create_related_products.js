export const up = (knex) =>
  knex.raw(`
    create table related_products (
      tenant_id uuid not null,
      product_id uuid not null,
      related_id uuid not null,
      kind text not null check (kind in ('related', 'upsell', 'cross_sell')),
      position integer not null check (position >= 0),
      primary key (tenant_id, product_id, related_id),
      foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade,
      foreign key (tenant_id, related_id) references products (tenant_id, id) on delete cascade,
      constraint related_products_another check (related_id <> product_id)
    );
    create index related_products_related on related_products (tenant_id, related_id);
  `);

export const down = (knex) => knex.raw('drop table related_products');
