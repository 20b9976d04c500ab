// excess_amount: the part of a refund that was received beyond the total of the order. Of refunds before this migration it
// is what the box has returned by itself; of their orders also what was refunded by amount, as far as more than the total
// was received. What was refunded of units is no excess, even if it was paid again. The payment status of orders follows.
export const up = (knex) =>
  knex.raw(`
    alter table refunds add column excess_amount bigint not null default 0;
    update refunds set excess_amount = amount
     where tax is null and reason = 'Nothing more was owed';
    update orders set excess_refunded_amount = sums.excess
      from (select part.tenant_id, part.id,
                   least(part.refunded_amount - coalesce(given.of_units, 0),
                         greatest(part.paid_amount - part.total_amount, coalesce(given.excess, 0), 0)) as excess
              from orders part
              left join (select step.tenant_id, done.order_id,
                                sum(case when done.tax is null then 0 else done.amount end)::bigint as of_units,
                                sum(done.excess_amount)::bigint as excess
                           from payment_transactions step
                           join refunds done
                             on done.tenant_id = step.tenant_id and done.payment_id = step.payment_id and done.id = step.id
                          where step.status = 'succeeded'
                          group by step.tenant_id, done.order_id) as given
                on given.tenant_id = part.tenant_id and given.order_id = part.id
             where part.refunded_amount > 0) as sums
     where orders.tenant_id = sums.tenant_id and orders.id = sums.id;
    update orders set payment_status = known.status_now
      from (select tenant_id, id,
                   case when refunded_amount > excess_refunded_amount
                        then case when paid_amount <= refunded_amount
                                    or refunded_amount - excess_refunded_amount >= total_amount
                                  then 'refunded' else 'partially_refunded' end
                        when paid_amount - refunded_amount >= total_amount then 'paid'
                        when paid_amount > refunded_amount then 'partially_paid'
                        when status = 'canceled' then 'voided' else 'unpaid' end as status_now
              from orders where refunded_amount > 0) as known
     where orders.tenant_id = known.tenant_id and orders.id = known.id and orders.payment_status <> known.status_now;
  `);

// The column of orders is the order package's.
export const down = (knex) => knex.raw('alter table refunds drop column excess_amount');
