/**
 * @carton/collection: groups of products for shoppers to browse, listed by hand or selected by a rule.
 */
import { ruleFacts } from '@carton/product';
import { addressesByHandle, definePackage, storefrontAddresses } from '@carton/runtime';
import { collectionEvents } from './events.ts';
import { collectionFact } from './fact.ts';
import { adminCollections, readCollection, setCollectionProducts, storefrontCollections } from './routes.ts';

export default definePackage({
  routes: [...storefrontCollections, ...readCollection, ...adminCollections, setCollectionProducts],
  events: [...Object.values(collectionEvents)],
  extends: [ruleFacts.with(collectionFact), storefrontAddresses.with(addressesByHandle('collections'))],
});
