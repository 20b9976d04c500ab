// kind: credit notes name the invoice that they correct. content: everything printed, as of the time of issue. series: the
// prefix of the number; sequence: its number in the series, from 1 without gaps. refund_id: the refund of units that led to
// the credit note. created_at: when it was issued.
export const up = (knex) =>
  knex.raw(`
    create table invoices (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      kind text not null,
      series text not null,
      sequence bigint not null,
      number text not null,
      order_id uuid not null,
      invoice_id uuid,
      refund_id uuid,
      currency text not null,
      net_amount bigint not null,
      tax_amount bigint not null,
      credit_amount bigint not null,
      total_amount bigint not null,
      content jsonb not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      constraint invoices_pkey primary key (tenant_id, id),
      constraint invoices_sequence unique (tenant_id, series, sequence),
      constraint invoices_number unique (tenant_id, number),
      constraint invoices_refund unique (tenant_id, refund_id),
      constraint invoices_kind check (kind in ('invoice', 'credit_note')),
      constraint invoices_corrected check ((kind = 'credit_note') = (invoice_id is not null)),
      constraint invoices_sums check (net_amount + tax_amount + credit_amount = total_amount and total_amount >= 0),
      constraint invoices_order foreign key (tenant_id, order_id) references orders (tenant_id, id)
    );
    create index invoices_newest on invoices (tenant_id, created_at, id);
    create index invoices_changed on invoices (tenant_id, updated_at, id);
    create index invoices_of_kind on invoices (tenant_id, kind, created_at, id);
    create index invoices_of_order on invoices (tenant_id, order_id, created_at, id);

    -- What changes after an invoice is issued. open: not credited in full; an order has one open invoice.
    create table invoice_balances (
      tenant_id uuid not null,
      invoice_id uuid not null,
      order_id uuid not null,
      total_amount bigint not null,
      credited_amount bigint not null default 0,
      open boolean not null default true,
      constraint invoice_balances_pkey primary key (tenant_id, invoice_id),
      constraint invoice_balances_credited check (credited_amount between 0 and total_amount),
      constraint invoice_balances_invoice foreign key (tenant_id, invoice_id) references invoices (tenant_id, id)
    );
    create unique index invoice_balances_open on invoice_balances (tenant_id, order_id) where open;

    -- Counters, not sequences: a number that is rolled back is drawn again.
    create table invoice_series (
      tenant_id uuid not null references tenants (id),
      series text not null,
      last_sequence bigint not null,
      constraint invoice_series_pkey primary key (tenant_id, series)
    );

    -- Issued invoices are immutable. After the time for which tax law requires them, ten years after the year of issue,
    -- they may be deleted.
    create function invoices_reject_changes() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and old.created_at < date_trunc('year', now()) - interval '10 years' then
        return old;
      end if;
      raise exception 'invoice % is issued and cannot be changed or deleted', old.number using errcode = '23001';
    end $$;
    create trigger invoices_immutable before update or delete on invoices
      for each row execute function invoices_reject_changes();
  `);

export const down = (knex) =>
  knex.raw(`
    drop table invoice_series, invoice_balances, invoices;
    drop function invoices_reject_changes();
  `);
