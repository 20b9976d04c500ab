// The media of products in their order. alt_text: in place of that of the asset. variant_ids: the variants that it shows;
// empty for all.
export const up = (knex) =>
  knex.raw(`
    create table product_medias (
      tenant_id uuid not null references tenants (id),
      product_id uuid not null,
      media_asset_id uuid not null,
      position integer not null,
      alt_text text,
      variant_ids uuid[] not null default '{}',
      primary key (tenant_id, product_id, media_asset_id),
      constraint product_medias_product foreign key (tenant_id, product_id) references products (tenant_id, id),
      constraint product_medias_asset foreign key (tenant_id, media_asset_id) references media_assets (tenant_id, id)
    );
    create index product_medias_asset on product_medias (tenant_id, media_asset_id);
  `);

export const down = (knex) => knex.raw('drop table product_medias');
