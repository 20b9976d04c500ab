/**
 * @carton/checkout: turns a cart into an order.
 */
import { definePackage } from '@carton/runtime';
import { createOrder, readCheckout, readOrder } from './routes/checkout.ts';

export default definePackage({ routes: [readCheckout, createOrder, readOrder] });
