/**
 * Routes of payments for staff.
 */
import { orderAlreadyCanceled } from '@carton/order';
import { externalIdTaken, resource, route } from '@carton/runtime';
import { paymentExceedsBalance } from '../problems.ts';
import { Payment, PaymentPage, PaymentQuery, RecordPayment } from './schemas.ts';
import { recordPayment as record } from './service.ts';
import { listPayments, readPayment } from './store.ts';

const common = { tag: 'Payments', access: 'staff' } as const;

export const adminPayments = resource({
  ...common,
  path: '/admin/payments',
  noun: 'payment',
  item: Payment,
  list: { query: PaymentQuery, page: PaymentPage, run: ({ db, query }) => listPayments(db, query) },
  read: {
    summary: 'Read a payment with its transactions',
    run: ({ db, params }) => readPayment(db, params.id),
  },
});

export const recordPayment = route(
  {
    ...common,
    method: 'post',
    path: '/admin/orders/:id/payments',
    operationId: 'recordPayment',
    summary: 'Record a payment received offline',
    description: 'The order becomes partially paid, or paid once nothing is owed. More than is owed is refused.',
    body: RecordPayment,
    status: 201,
    response: Payment,
    location: '/admin/payments/{id}',
    problems: [externalIdTaken, paymentExceedsBalance, orderAlreadyCanceled],
    idempotent: true,
  },
  ({ db, params, body }) => record(db, params.id, body),
);
