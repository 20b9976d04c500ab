// The order of titles by the root collation of ICU, in which letters with accents stand beside those without. PostgreSQL may
// be built without ICU: the order by code point, and its indexes, stay for that.
const filtered = [['brand'], ['type'], ['brand', 'type']];
const indexOf = (columns) => `
  create index products_${columns.join('_')}_title_icu
    on products (tenant_id, ${columns}, title_key collate "und-x-icu", id)
    where ${columns.map((column) => `${column} is not null`).join(' and ')} and status = 'published' and deleted_at is null;`;

export const up = (knex) =>
  knex.raw(`
    do $$ begin
      if exists (select from pg_collation where collname = 'und-x-icu') then
        create index products_published_title_icu on products (tenant_id, title_key collate "und-x-icu", id)
          where status = 'published' and deleted_at is null;
        ${filtered.map(indexOf).join('')}
      end if;
    end $$;
  `);

export const down = (knex) =>
  knex.raw(`
    drop index if exists products_brand_type_title_icu;
    drop index if exists products_type_title_icu;
    drop index if exists products_brand_title_icu;
    drop index if exists products_published_title_icu;
  `);
