/**
 * Routes of payments for staff.
 */
import { alreadyRefunded, orderAlreadyCanceled, orderAwaitsPayment } from '@carton/order';
import { externalIdTaken, resource, route } from '@carton/runtime';
import { paymentProviderFailed, paymentRefused, paymentsNotConfigured } from '../adapters/adapter.ts';
import {
  paymentDisputed,
  paymentExceedsBalance,
  paymentStepBusy,
  paymentStepNotPossible,
  unitsHavePrice,
} from '../problems.ts';
import { cancelUnits, refundPaymentOrUnits as refund } from '../refunds/free-units.ts';
import {
  CanceledUnits,
  CancelUnits,
  CreateRefund,
  Payment,
  PaymentPage,
  PaymentPart,
  PaymentQuery,
  RecordPayment,
  Refund,
} from '../schemas.ts';
import { capturePayment as capture, voidPayment as voidIt } from '../steps/service.ts';
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

const problems = [
  paymentsNotConfigured,
  paymentStepNotPossible,
  paymentStepBusy,
  paymentRefused,
  paymentProviderFailed,
];

export const capturePayment = route(
  {
    ...common,
    method: 'post',
    path: '/admin/payments/:id/capture',
    operationId: 'capturePayment',
    summary: 'Capture all or part of an authorized payment',
    description: 'Without an amount, and without a body, captures what is owed, at most what is authorized.',
    body: PaymentPart,
    bodyOptional: true,
    status: 200,
    response: Payment,
    problems,
    idempotent: true,
    outsideTransaction: true,
  },
  ({ db, params, body, workId }) => capture(db, params.id, { ...body, workId }),
);

export const voidPayment = route(
  {
    ...common,
    method: 'post',
    path: '/admin/payments/:id/void',
    operationId: 'voidPayment',
    summary: 'Void an authorized payment',
    description:
      'Releases what has not been captured. A payment recorded offline is reversed as if it had never been made, unless part of it was refunded.',
    status: 200,
    response: Payment,
    problems,
    idempotent: true,
    outsideTransaction: true,
  },
  ({ db, params, workId }) => voidIt(db, params.id, { workId }),
);

export const createRefund = route(
  {
    ...common,
    method: 'post',
    path: '/admin/payments/:id/refunds',
    operationId: 'createRefund',
    summary: 'Refund all or part of a captured payment',
    description:
      'Refunds an amount, or items and shipping charges; **without any of them, and without a body, all that is left of the payment**. Items are refunded by units, for what is left of their price after discounts, with taxes, or by parts of the price. A refund takes as much off what is charged for the order, so that its balance stays; all refunds together end at exactly what was charged, for each item and its taxes. For a payment recorded offline, this only records that staff paid the money back.',
    body: CreateRefund,
    bodyOptional: true,
    status: 201,
    response: Refund,
    problems: [...problems, externalIdTaken, alreadyRefunded, paymentDisputed],
    idempotent: true,
    outsideTransaction: true,
  },
  ({ db, params, body, workId }) => refund(db, params.id, { ...body, workId }),
);

export const cancelOrderUnits = route(
  {
    ...common,
    method: 'post',
    path: '/admin/orders/:id/canceled-units',
    beyond: true,
    operationId: 'cancelOrderUnits',
    summary: 'Cancel units of an order that cost nothing',
    description:
      'Takes units of which nothing is left to refund out of the order, such as a free gift, also without a payment. They count as refunded: they are not shipped, and their stock returns. No money moves, and no credit note is issued.',
    body: CancelUnits,
    status: 201,
    response: CanceledUnits,
    problems: [alreadyRefunded, orderAlreadyCanceled, orderAwaitsPayment, paymentStepBusy, unitsHavePrice],
    idempotent: true,
  },
  ({ db, params, body }) => cancelUnits(db, params.id, body),
);
