/**
 * Payments whose money moves outside of the box: bank transfer and cash on delivery. The order is placed with its
 * payment pending; staff capture, void and refund it as the money really moves.
 */
import { type PaymentAdapter, webhookSignatureInvalid } from '../adapter.ts';

const done = async () => {};

export const manualAdapter: PaymentAdapter = {
  name: 'manual',
  byHand: true,
  methods: () => ['bank_transfer', 'cash_on_delivery'],
  // Short enough to be written on a transfer; of the id's random part, so that two hardly ever share it.
  initiate: async (_, { id }) => ({ reference: id.slice(-10).toUpperCase(), nextAction: null }),
  confirm: async () => ({ status: 'pending', captured: 0, refunded: 0 }),
  capture: done,
  void: done,
  refund: done,
  readWebhook() {
    throw webhookSignatureInvalid('Nobody calls back about payments that are made by hand.');
  },
};
