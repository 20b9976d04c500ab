// With its tenant an invoice is removed, which the transaction says in removal.tenant_id.
const define = (also) => `
  create or replace function invoices_reject_changes() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' and (old.created_at < date_trunc('year', now()) - interval '10 years'${also}) then
      return old;
    end if;
    raise exception 'invoice % is issued and cannot be changed or deleted', old.number using errcode = '23001';
  end $$`;

export const up = (knex) => knex.raw(define(" or old.tenant_id::text = current_setting('removal.tenant_id', true)"));

export const down = (knex) => knex.raw(define(''));
