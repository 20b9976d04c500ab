-- Statements that @carton/invoice composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- invoices.page
-- $2 string, $3 string, $4 number
select
  "invoices".*,
  (
    coalesce(
      (
        select
          credited_amount
        from
          invoice_balances
        where
          invoice_balances.tenant_id = invoices.tenant_id
          and invoice_balances.invoice_id = invoices.id
      ),
      0
    )
  ) as "credited_amount"
from
  "invoices"
where
  "invoices"."tenant_id" = $1
  and invoices.created_at >= $2::timestamptz
  and invoices.created_at < $3::timestamptz
order by
  "invoices"."created_at" desc,
  "invoices"."id" desc
limit
  $4;

-- retention.lockOld
-- $2 number, $3 string, $4 number
select
  invoices.id,
  invoices.order_id
from
  invoices
  join invoice_balances on invoice_balances.tenant_id = $1
  and invoice_balances.invoice_id = invoices.id
where
  invoices.tenant_id = $1
  and invoices.kind = 'invoice'
  and invoices.created_at < least(
    date_trunc('year', now()) - $2 * interval '1 year',
    (date_trunc('year', now() at time zone $3) - $2 * interval '1 year') at time zone $3
  )
  and not exists (
    select
    from
      invoices note
    where
      note.tenant_id = $1
      and note.order_id = invoices.order_id
      and note.invoice_id = invoices.id
      and note.created_at >= least(
        date_trunc('year', now()) - $2 * interval '1 year',
        (date_trunc('year', now() at time zone $3) - $2 * interval '1 year') at time zone $3
      )
  )
order by
  invoices.created_at,
  invoices.id
limit
  $4
for update of
  invoice_balances skip locked;

-- retention.stillOld
-- $2 number, $3 string, $4 string[]
select
  id,
  order_id
from
  invoices
where
  invoices.tenant_id = $1
  and invoices.kind = 'invoice'
  and invoices.created_at < least(
    date_trunc('year', now()) - $2 * interval '1 year',
    (date_trunc('year', now() at time zone $3) - $2 * interval '1 year') at time zone $3
  )
  and not exists (
    select
    from
      invoices note
    where
      note.tenant_id = $1
      and note.order_id = invoices.order_id
      and note.invoice_id = invoices.id
      and note.created_at >= least(
        date_trunc('year', now()) - $2 * interval '1 year',
        (date_trunc('year', now() at time zone $3) - $2 * interval '1 year') at time zone $3
      )
  )
  and invoices.id = any ($4::uuid[]);
