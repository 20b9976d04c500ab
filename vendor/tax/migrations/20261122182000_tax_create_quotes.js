// provider_code: the code of the category at a tax provider.
// tax_quotes: answers of tax providers. sale_key and digest are hashes: of what is known of a sale before it is priced, and
// of the exact question. answer: null if the provider refused the question.
export const up = (knex) =>
  knex.raw(`
    alter table tax_categories add column provider_code text;
    create table tax_quotes (
      tenant_id uuid not null references tenants (id),
      sale_key text not null,
      digest text not null,
      answer jsonb,
      expires_at timestamptz(3) not null,
      primary key (tenant_id, sale_key, digest)
    );
    create index tax_quotes_expiry on tax_quotes (tenant_id, expires_at);
  `);

export const down = (knex) =>
  knex.raw(`
    drop table tax_quotes;
    alter table tax_categories drop column provider_code;
  `);
