// Refunds by amount that an earlier release has begun return an excess first, as those of this one do: of several, the
// oldest. Without it, they would be taken off what is charged once they succeed, and the excess would be owed again.
// The payment status of orders of which nothing but an excess was refunded also follows other payments, which the migration
// before this one did not look at.
export const up = (knex) =>
  knex.raw(`
    update refunds set excess_amount = due.excess
      from (select part.tenant_id, part.id,
                   greatest(0, least(part.amount, part.beyond - part.earlier)) as excess
              from (select begun.tenant_id, begun.id, begun.amount,
                           bought.paid_amount - bought.total_amount - bought.excess_refunded_amount
                             - sum(begun.excess_amount) over (partition by begun.tenant_id, begun.order_id) as beyond,
                           coalesce(sum(case when begun.excess_amount = 0 then begun.amount end) over (
                             partition by begun.tenant_id, begun.order_id order by begun.created_at, begun.id
                             rows between unbounded preceding and 1 preceding), 0) as earlier
                      from refunds begun
                      join payment_transactions step
                        on step.tenant_id = begun.tenant_id and step.payment_id = begun.payment_id and step.id = begun.id
                      join orders bought on bought.tenant_id = begun.tenant_id and bought.id = begun.order_id
                     where begun.tax is null and step.status = 'pending') as part) as due
     where refunds.tenant_id = due.tenant_id and refunds.id = due.id and refunds.excess_amount = 0 and due.excess > 0;
    update orders set payment_status = known.status_now
      from (select kept.tenant_id, kept.order_id,
                   case when bool_or(kept.status = 'authorized' and kept.amount > kept.captured_amount) then 'authorized'
                        when bool_or(kept.status = 'voided' and step.id is null) and not bool_or(kept.status = 'pending')
                        then 'voided' else 'unpaid' end as status_now
              from payments kept
              left join payment_transactions step
                on step.tenant_id = kept.tenant_id and step.payment_id = kept.id
                   and step.type = 'capture' and step.status = 'succeeded'
             group by kept.tenant_id, kept.order_id) as known
     where orders.tenant_id = known.tenant_id and orders.id = known.order_id and orders.refunded_amount > 0
       and orders.payment_status = 'unpaid' and known.status_now <> 'unpaid';
  `);

// What refunds return stays known as long as its column does.
export const down = () => Promise.resolve();
