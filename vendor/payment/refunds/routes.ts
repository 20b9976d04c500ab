/**
 * Routes of refunds for staff.
 */
import { alreadyRefunded, orderAlreadyCanceled, orderAwaitsPayment } from '@carton/order';
import { externalIdTaken, resource, route } from '@carton/runtime';
import { paymentDisputed, paymentStepBusy, unitsHavePrice } from '../problems.ts';
import { stepProblems } from '../steps/service.ts';
import { cancelUnits, refundPaymentOrUnits as refund } from './free-units.ts';
import { CanceledUnits, CancelUnits, CreateRefund, Refund, RefundPage, RefundQuery } from './schemas.ts';
import { listRefunds } from './store.ts';

const common = { tag: 'Payments', access: 'staff' } as const;

export const adminRefunds = resource({
  ...common,
  path: '/admin/refunds',
  noun: 'refund',
  item: Refund,
  list: { query: RefundQuery, page: RefundPage, run: ({ db, query }) => listRefunds(db, query) },
});

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
    problems: [...stepProblems, externalIdTaken, alreadyRefunded, paymentDisputed],
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
