export const up = (knex) =>
  knex.raw(`
    create table collections (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      handle text not null,
      title text not null,
      description text not null default '',
      kind text not null check (kind in ('manual', 'rule')),
      rule jsonb,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint collections_handle unique (tenant_id, handle),
      constraint collections_rule check ((kind = 'rule') = (rule is not null))
    );
    create index collections_newest on collections (tenant_id, created_at, id);

    create table collection_products (
      tenant_id uuid not null,
      collection_id uuid not null,
      product_id uuid not null,
      position integer not null check (position >= 0),
      primary key (tenant_id, collection_id, product_id),
      foreign key (tenant_id, collection_id) references collections (tenant_id, id)
    );
    create index collection_products_position on collection_products (tenant_id, collection_id, position, product_id);
    create index collection_products_product on collection_products (tenant_id, product_id);
  `);

export const down = (knex) => knex.raw('drop table collection_products, collections');
