/**
 * Routes of captures and voids for staff.
 */
import { route } from '@carton/runtime';
import { Payment, PaymentPart } from '../payments/schemas.ts';
import { capturePayment as capture, stepProblems, voidPayment as voidIt } from './service.ts';

const common = { tag: 'Payments', access: 'staff' } as const;

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
    problems: stepProblems,
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
    problems: stepProblems,
    idempotent: true,
    outsideTransaction: true,
  },
  ({ db, params, workId }) => voidIt(db, params.id, { workId }),
);
