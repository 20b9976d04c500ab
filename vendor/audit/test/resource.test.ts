/**
 * Names and ids of changed rows.
 */
import t from 'tap';
import { resourceIdOf, resourceOf } from '../resource.ts';

t.test('resources are named in the singular', async (t) => {
  const cases: Record<string, string> = {
    products: 'product',
    product_medias: 'product_media',
    tax_categories: 'tax_category',
    member_addresses: 'member_address',
    company_termses: 'company_terms',
    purchases: 'purchase',
    stores: 'store',
  };
  for (const [table, resource] of Object.entries(cases)) t.equal(resourceOf(table), resource);
});

t.test('a row without an id has that of its owner', async (t) => {
  t.equal(resourceIdOf({ tenantId: 't', id: 'i', productId: 'p' }), 'i');
  t.equal(resourceIdOf({ tenantId: 't', regionId: null, productId: 'p' }), 'p');
  t.equal(resourceIdOf({ tenantId: 't', name: 'n' }), 't');
});
