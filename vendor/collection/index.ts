/**
 * @carton/collection: groups of products for shoppers to browse, made by hand or filled by a rule.
 */
import { ruleFacts } from '@carton/product';
import { definePackage, storefrontAddresses } from '@carton/runtime';
import { collectionAddresses } from './addresses.ts';
import { collectionUpdated } from './events.ts';
import { collectionFact } from './fact.ts';
import {
  createCollection,
  deleteCollection,
  listAdminCollections,
  readAdminCollection,
  setCollectionProducts,
  updateCollection,
} from './routes/admin.ts';
import { listCollections, readCollection } from './routes/storefront.ts';

export default definePackage({
  routes: [
    listCollections,
    readCollection,
    listAdminCollections,
    createCollection,
    readAdminCollection,
    updateCollection,
    deleteCollection,
    setCollectionProducts,
  ],
  events: [collectionUpdated],
  extends: [ruleFacts.with(collectionFact), storefrontAddresses.with(collectionAddresses)],
});
