/**
 * Payments as staff work on them.
 */
import { orderAlreadyCanceled } from '@carton/order';
import { route } from '@carton/runtime';
import { paymentsNotConfigured } from '../adapter.ts';
import { Payment, PaymentPage, PaymentPart, PaymentQuery, RecordPayment } from '../schemas.ts';
import {
  listPayments as list,
  paymentExceedsBalance,
  paymentStepNotPossible,
  readPayment as read,
  recordPayment as record,
  refuseProviderStep,
} from '../service.ts';

const tag = 'Payments';

export const listPayments = route(
  {
    method: 'get',
    path: '/admin/payments',
    operationId: 'listPayments',
    tag,
    summary: 'List payments, newest first',
    access: 'staff',
    query: PaymentQuery,
    status: 200,
    response: PaymentPage,
  },
  ({ db, query }) => list(db, query),
);

export const readPayment = route(
  {
    method: 'get',
    path: '/admin/payments/:id',
    operationId: 'readPayment',
    tag,
    summary: 'Read a payment with its transactions',
    access: 'staff',
    status: 200,
    response: Payment,
  },
  ({ db, params }) => read(db, params.id),
);

export const recordPayment = route(
  {
    method: 'post',
    path: '/admin/orders/:id/payments',
    operationId: 'recordPayment',
    tag,
    summary: 'Record a payment that was received offline',
    description: 'Part of what is owed makes the order partially paid, all of it paid. More than that is refused.',
    access: 'staff',
    body: RecordPayment,
    status: 201,
    response: Payment,
    location: '/admin/payments/{id}',
    problems: [paymentExceedsBalance, orderAlreadyCanceled],
    idempotent: true,
  },
  ({ db, params, body }) => record(db, params.id, body),
);

const problems = [paymentsNotConfigured, paymentStepNotPossible];

export const capturePayment = route(
  {
    method: 'post',
    path: '/admin/payments/:id/capture',
    operationId: 'capturePayment',
    tag,
    summary: 'Capture an authorized payment, all or part',
    access: 'staff',
    body: PaymentPart,
    bodyOptional: true,
    status: 200,
    response: Payment,
    problems,
    idempotent: true,
  },
  ({ db, params }) => refuseProviderStep(db, params.id, 'capture'),
);

export const voidPayment = route(
  {
    method: 'post',
    path: '/admin/payments/:id/void',
    operationId: 'voidPayment',
    tag,
    summary: 'Void an authorized payment',
    access: 'staff',
    status: 200,
    response: Payment,
    problems,
  },
  ({ db, params }) => refuseProviderStep(db, params.id, 'void'),
);

export const refundPayment = route(
  {
    method: 'post',
    path: '/admin/payments/:id/refunds',
    operationId: 'refundPayment',
    tag,
    summary: 'Refund a captured payment, all or part',
    access: 'staff',
    body: PaymentPart,
    bodyOptional: true,
    status: 201,
    response: Payment,
    problems,
    idempotent: true,
  },
  ({ db, params }) => refuseProviderStep(db, params.id, 'refund'),
);
