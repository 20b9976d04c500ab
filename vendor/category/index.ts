/**
 * @carton/category: the tree of categories in which shoppers find products.
 */
import { productListFilters, ruleFacts } from '@carton/product';
import {
  addressesByHandle,
  definePackage,
  storefrontAddresses,
  storefrontTargets,
  targetsByHandle,
} from '@carton/runtime';
import { findVisibleSubtree } from './browse.ts';
import { categoryEvents } from './events.ts';
import { categoryFact } from './fact.ts';
import { adminCategories, listCategories, readCategory, readCategoryProducts, setCategoryProducts } from './routes.ts';
import { CategoryFilter } from './schemas.ts';
import { visibleCondition } from './store.ts';

const visible = async () => ({ sql: visibleCondition, values: [] });

export default definePackage({
  routes: [listCategories, ...readCategory, ...adminCategories, readCategoryProducts, setCategoryProducts],
  events: [...Object.values(categoryEvents)],
  extends: [
    ruleFacts.with(categoryFact),
    productListFilters.with({
      name: 'category',
      schema: CategoryFilter,
      table: 'category_products',
      column: 'category_id',
      findLists: findVisibleSubtree,
    }),
    storefrontAddresses.with(addressesByHandle('categories', { visible })),
    storefrontTargets.with(targetsByHandle({ name: 'category', table: 'categories', title: 'name', visible })),
  ],
});
