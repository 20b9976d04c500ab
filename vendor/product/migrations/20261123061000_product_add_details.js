const filtered = [['brand'], ['type'], ['brand', 'type']];

// Row-level security uses an index only for comparisons of plain columns. Each set of filtered columns has an index for the
// list of staff, for that of one status, and for that by title. Products without a value are in none of them.
const indexesOf = (columns) => {
  const name = `products_${columns.join('_')}`;
  const isSet = columns.map((column) => `${column} is not null`).join(' and ');
  return `
    create index ${name} on products (tenant_id, ${columns}, created_at, id)
      where ${isSet} and deleted_at is null;
    create index ${name}_status on products (tenant_id, ${columns}, status, created_at, id)
      where ${isSet} and deleted_at is null;
    create index ${name}_title on products (tenant_id, ${columns}, title_key, id)
      where ${isSet} and status = 'published' and deleted_at is null;`;
};
const dropIndexes = (columns) => {
  const name = `products_${columns.join('_')}`;
  return `drop index ${name}, ${name}_status, ${name}_title;`;
};

export const up = (knex) =>
  knex.raw(`
    alter table products add column brand text;
    alter table products add column type text;
    alter table products add column attributes jsonb not null default '[]';
    alter table products add column seo_title text;
    alter table products add column seo_description text;
    alter table product_variants add column length integer;
    alter table product_variants add column width integer;
    alter table product_variants add column height integer;
    alter table product_variants add constraint product_variants_dimensions
      check (length >= 0 and width >= 0 and height >= 0);
    ${filtered.map(indexesOf).join('')}
  `);

export const down = (knex) =>
  knex.raw(`
    ${filtered.map(dropIndexes).join(' ')}
    alter table product_variants drop constraint product_variants_dimensions;
    alter table product_variants drop column height;
    alter table product_variants drop column width;
    alter table product_variants drop column length;
    alter table products drop column seo_description;
    alter table products drop column seo_title;
    alter table products drop column attributes;
    alter table products drop column type;
    alter table products drop column brand;
  `);
