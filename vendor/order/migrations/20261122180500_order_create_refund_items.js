// Units of lines and shipping charges that were refunded; rows are only added. refund_id: the refund of a payment. A
// refund that fails is reversed by rows of opposite sign. tax: the part of amount that is tax.
export const up = (knex) =>
  knex.raw(`
    create table order_refund_items (
      tenant_id uuid not null,
      order_id uuid not null,
      id uuid not null,
      refund_id uuid not null,
      line_item_id uuid,
      shipping_code text,
      quantity integer not null,
      amount bigint not null,
      tax bigint not null,
      created_at timestamptz(3) not null default now(),
      constraint order_refund_items_pkey primary key (tenant_id, order_id, id),
      constraint order_refund_items_order foreign key (tenant_id, order_id) references orders (tenant_id, id),
      constraint order_refund_items_line foreign key (tenant_id, order_id, line_item_id)
        references order_line_items (tenant_id, order_id, id),
      constraint order_refund_items_target check ((line_item_id is null) <> (shipping_code is null)),
      constraint order_refund_items_quantity check (quantity <> 0)
    );
    create index order_refund_items_refund on order_refund_items (tenant_id, refund_id);
  `);

export const down = (knex) => knex.raw('drop table order_refund_items');
