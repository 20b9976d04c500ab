/**
 * Settings of checkout.
 */
import { changeStore, findStore } from '@carton/core';
import { route } from '@carton/runtime';
import { ChangeCheckoutSettings, CheckoutSettings } from '../schemas.ts';

const tag = 'Checkout';

export const readCheckoutSettings = route(
  {
    method: 'get',
    path: '/admin/checkout-settings',
    operationId: 'readCheckoutSettings',
    tag,
    summary: 'Read the settings of checkout',
    access: 'staff',
    status: 200,
    response: CheckoutSettings,
  },
  ({ db }) => findStore(db),
);

export const updateCheckoutSettings = route(
  {
    method: 'patch',
    path: '/admin/checkout-settings',
    operationId: 'updateCheckoutSettings',
    tag,
    summary: 'Change who may order, and what has to be told for it',
    access: 'staff',
    body: ChangeCheckoutSettings,
    status: 200,
    response: CheckoutSettings,
  },
  ({ db, body }) => changeStore(db, body),
);
