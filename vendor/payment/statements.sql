-- Statements that @carton/payment composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- payments.steps.page
-- $2 string, $3 number
select
  "payment_transactions".*
from
  "payment_transactions"
where
  "payment_transactions"."tenant_id" = $1
  and "payment_transactions"."payment_id" = $2
  and payment_transactions.type = 'refund'
order by
  "payment_transactions"."created_at" desc,
  "payment_transactions"."id" desc
limit
  $3;

-- payments.isInDispute
-- $2 string
select
from
  payment_disputes
where
  tenant_id = $1
  and payment_id = $2
  and (
    payment_disputes.status in ('inquiry', 'open')
    and not payment_disputes.refundable
    or payment_disputes.status = 'lost'
    and payment_disputes.currency <> (
      select
        payments.currency
      from
        payments
      where
        payments.tenant_id = $1
        and payments.id = payment_disputes.payment_id
    )
  )
limit
  1;

-- payments.paymentsInDispute
-- $2 string
select distinct
  payment_id
from
  payment_disputes
where
  tenant_id = $1
  and order_id = $2
  and (
    payment_disputes.status in ('inquiry', 'open')
    and not payment_disputes.refundable
    or payment_disputes.status = 'lost'
    and payment_disputes.currency <> (
      select
        payments.currency
      from
        payments
      where
        payments.tenant_id = $1
        and payments.id = payment_disputes.payment_id
    )
  );

-- disputes.disputes.page
-- $2 string, $3 number
select
  "payment_disputes".*,
  (
    select
      json_build_object('provider', provider, 'method', method)
    from
      payments
    where
      payments.tenant_id = payment_disputes.tenant_id
      and payments.id = payment_disputes.payment_id
  ) as "payment"
from
  "payment_disputes"
where
  "payment_disputes"."tenant_id" = $1
  and "payment_disputes"."order_id" = $2
order by
  "payment_disputes"."created_at" desc,
  "payment_disputes"."id" desc
limit
  $3;

-- refunds.listRefunds
-- $2 string, $3 string, $4 number
select
  "refunds".*,
  (
    select
      status
    from
      payment_transactions step
    where
      step.tenant_id = refunds.tenant_id
      and step.payment_id = refunds.payment_id
      and step.id = refunds.id
  ) as "status",
  (
    select
      json_build_object('provider', provider, 'method', method)
    from
      payments
    where
      payments.tenant_id = refunds.tenant_id
      and payments.id = refunds.payment_id
  ) as "payment"
from
  "refunds"
where
  "refunds"."tenant_id" = $1
  and (
    select
      status
    from
      payment_transactions step
    where
      step.tenant_id = refunds.tenant_id
      and step.payment_id = refunds.payment_id
      and step.id = refunds.id
  ) = $2
  and "refunds"."order_id" = $3
order by
  "refunds"."created_at" desc,
  "refunds"."id" desc
limit
  $4;

-- refunds.listRefunds by status
-- $2 string, $3 number
select
  "payment_transactions".*
from
  "payment_transactions"
where
  "payment_transactions"."tenant_id" = $1
  and "payment_transactions"."status" = $2
  and payment_transactions.type = 'refund'
order by
  "payment_transactions"."created_at" desc,
  "payment_transactions"."id" desc
limit
  $3;

-- sessions.markAbandoned
-- $2 string, $3 number
update payment_sessions
set
  status = 'given_up',
  check_at = now() + interval '1 minute',
  checks = 0,
  updated_at = now()
where
  tenant_id = $1
  and id = $2
  and status = 'open'
  and (
    $3::integer is null
    or updated_at < now() - make_interval(secs => $3)
  )
returning
  *;

-- sessions.markUsed
-- $2 string, $3 string
update payment_sessions
set
  status = 'used',
  order_id = $3,
  check_at = now() + interval '1 minute',
  checks = 0,
  updated_at = now()
where
  tenant_id = $1
  and id = $2;

-- sessions.scheduleCheck
-- $2 string
update payment_sessions
set
  check_at = now() + interval '1 minute',
  checks = 0
where
  tenant_id = $1
  and id = $2;

-- steps.unclaimedPendingPayments
select
  payment_id as id
from
  payment_transactions
where
  tenant_id = $1
  and status = 'pending'
  and (
    tried_at is null
    or tried_at < now() - interval '1 minute'
  )
  and created_at < now() - interval '10 seconds'
order by
  random()
limit
  200;

-- steps.claimPendingStep
-- $2 string
update payment_transactions
set
  tried_at = now()
where
  tenant_id = $1
  and payment_id = $2
  and status = 'pending'
  and (
    tried_at is null
    or tried_at < now() - interval '1 minute'
  )
returning
  *;
