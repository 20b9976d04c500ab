export const up = (knex) =>
  knex.raw(`
    update orders set paid_amount = sums.captured, refunded_amount = sums.refunded
      from (select tenant_id, order_id, sum(captured_amount) as captured, sum(refunded_amount) as refunded
              from payments group by tenant_id, order_id) as sums
     where orders.tenant_id = sums.tenant_id and orders.id = sums.order_id;
  `);

// The columns are the order package's.
export const down = (knex) => knex.raw('update orders set paid_amount = 0, refunded_amount = 0');
