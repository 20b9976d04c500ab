/**
 * Routes of options, for staff.
 */
import { resource } from '@carton/runtime';
import { shippingOptionCodeTaken } from '../problems.ts';
import { optionShapes, ShippingOptionQuery } from './schemas.ts';
import { changeOption, createOption, deleteOption } from './service.ts';
import { shippingOptions } from './store.ts';

export const adminShippingOptions = resource({
  tag: 'Shipping',
  access: 'staff',
  path: '/admin/shipping-options',
  noun: 'shipping option',
  item: optionShapes.Item,
  rows: shippingOptions,
  list: { query: ShippingOptionQuery, page: optionShapes.Page },
  create: {
    body: optionShapes.Create,
    problems: [shippingOptionCodeTaken],
    run: ({ db, body }) => createOption(db, body),
  },
  read: {},
  change: {
    summary: 'Change a shipping option; existing orders do not change',
    body: optionShapes.Change,
    problems: [shippingOptionCodeTaken],
    run: ({ db, params, body }) => changeOption(db, params.id, body),
  },
  remove: {
    summary: 'Delete a shipping option; carts that have chosen it must choose another',
    run: ({ db, params }) => deleteOption(db, params.id),
  },
});
