/**
 * Calls each list with each filter and sort in a large store, as the box's role, and counts what it reads.
 */
import { checkListPlans } from '../../tools/plans/check.ts';
import { startInProcessBox } from '../support/in-process-box.ts';
import type { Rig } from '../support/rig.ts';

export const rig: Rig = {
  about: 'Calls every list with each filter over a large store, and counts the rows and pages that are read.',
  options: {
    copies: { about: 'copies of a store with two of everything', defaultValue: '1200' },
    orders: { about: 'orders to add', defaultValue: '1000000', short: '0' },
    products: {
      about: 'products to add, with brands, tags and categories; 0: a tenth of the orders, without',
      defaultValue: '0',
    },
  },
  timeLimit: (stage) => (stage.short ? 900 : 14_400),
  async run(stage) {
    const box = await startInProcessBox(stage);
    const orders = stage.number('orders');
    const sizes = { copies: stage.number('copies'), orders, products: stage.number('products') };
    const { table, broken, calls } = await checkListPlans(box, sizes, stage.say);
    for (const line of table) stage.say(line);
    return { broken, counts: { calls, ...sizes } };
  },
};
