/**
 * Routes of the checkout settings.
 */
import { route } from '@carton/runtime';
import { ChangeCheckoutSettings, CheckoutSettings } from './schemas.ts';
import { changeSettings, readSettings } from './service.ts';

const tag = 'Checkout';

export const readCheckoutSettings = route(
  {
    method: 'get',
    path: '/admin/checkout-settings',
    operationId: 'readCheckoutSettings',
    tag,
    summary: 'Read the checkout settings',
    access: 'staff',
    status: 200,
    response: CheckoutSettings,
  },
  ({ db }) => readSettings(db),
);

export const updateCheckoutSettings = route(
  {
    method: 'patch',
    path: '/admin/checkout-settings',
    operationId: 'updateCheckoutSettings',
    tag,
    summary: 'Update the checkout settings',
    access: 'staff',
    body: ChangeCheckoutSettings,
    status: 200,
    response: CheckoutSettings,
  },
  ({ db, body }) => changeSettings(db, body),
);
