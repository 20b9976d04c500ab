/**
 * Payments as staff work on them.
 */
import { orderAlreadyCanceled } from '@carton/order';
import { externalIdTaken, route } from '@carton/runtime';
import { paymentProviderFailed, paymentRefused, paymentsNotConfigured } from '../adapter.ts';
import { paymentExceedsBalance, paymentStepBusy, paymentStepNotPossible } from '../problems.ts';
import { CreateRefund, Payment, PaymentPage, PaymentPart, PaymentQuery, RecordPayment, Refund } from '../schemas.ts';
import { listPayments as list, readPayment as read, recordPayment as record } from '../service.ts';
import { capturePayment as capture, refundPayment as refund, voidPayment as voidIt } from '../steps.ts';

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
    problems: [externalIdTaken, paymentExceedsBalance, orderAlreadyCanceled],
    idempotent: true,
  },
  ({ db, params, body }) => record(db, params.id, body),
);

const problems = [
  paymentsNotConfigured,
  paymentStepNotPossible,
  paymentStepBusy,
  paymentRefused,
  paymentProviderFailed,
];

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
    inSteps: true,
  },
  ({ db, params, body, workId }) => capture(db, params.id, { ...body, workId }),
);

export const voidPayment = route(
  {
    method: 'post',
    path: '/admin/payments/:id/void',
    operationId: 'voidPayment',
    tag,
    summary: 'Void an authorized payment',
    description:
      'Of one that was captured in part, the rest is given up. What was recorded offline is taken back as if it had never been, unless some of it was refunded.',
    access: 'staff',
    status: 200,
    response: Payment,
    problems,
    idempotent: true,
    inSteps: true,
  },
  ({ db, params, workId }) => voidIt(db, params.id, { workId }),
);

export const createRefund = route(
  {
    method: 'post',
    path: '/admin/payments/:id/refunds',
    operationId: 'createRefund',
    tag,
    summary: 'Refund a captured payment, all or part',
    description: 'Of what was recorded offline, that it was given back is written down.',
    access: 'staff',
    body: CreateRefund,
    bodyOptional: true,
    status: 201,
    response: Refund,
    problems: [...problems, externalIdTaken],
    idempotent: true,
    inSteps: true,
  },
  ({ db, params, body, workId }) => refund(db, params.id, { ...body, workId }),
);
