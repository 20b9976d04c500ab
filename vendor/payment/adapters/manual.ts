/**
 * Payments whose money moves outside the box: bank transfer and cash on delivery. The order is placed with its payment
 * pending; staff capture, void and refund it as money moves.
 */
import type { PaymentAdapter } from './adapter.ts';
import { webhookSignatureInvalid } from './problems.ts';

const done = async () => {};

export const manualAdapter: PaymentAdapter = {
  name: 'manual',
  byHand: true,
  methods: () => ['bank_transfer', 'cash_on_delivery'],
  // Short enough to write on a transfer. The end of a UUIDv7 is random, so duplicates are very unlikely.
  initiate: async (_, { id }) => ({ reference: id.slice(-10).toUpperCase(), nextAction: null }),
  confirm: async () => ({ status: 'pending', captured: 0, refunded: 0 }),
  capture: done,
  void: done,
  refund: done,
  readWebhook() {
    throw webhookSignatureInvalid('Manual payments have no webhooks.');
  },
};
