/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { Sampled, StatementSamples } from '@carton/runtime/testing';
import { allOf, always, isPublished, sorts } from '../conditions-store.ts';
import { productListFilters, productMeasures } from '../filters/extensions.ts';
import { entriesOf, findNextListed, isFirstListed, type ResolvedFilter } from '../filters/lists-store.ts';
import { listOfRange, orderByMeasure, rangeOf } from '../filters/measures-store.ts';
import { countUpTo, findNext, isAmong, listOfColumns, type ProductList } from '../filters/store.ts';
import { listInOrder } from '../lists/store.ts';
import { titleIndex } from '../lists/title-order-store.ts';
import { isVisible } from '../products/store.ts';
import { findVariantRows, findVariantRowsWithChoices } from '../reads/lookups-store.ts';
import * as reads from '../reads/store.ts';
import { filterProductsByRule, pageByRule } from '../rules/store.ts';
import { lockDueProducts, setNextChange } from '../schedule/store.ts';
import { findMatches, hasWords, titled } from '../search/matches-store.ts';
import * as progress from '../search/progress-store.ts';
import * as search from '../search/store.ts';
import * as store from '../store.ts';

const page = { order: sorts.newest, place: null, limit: 21 };
const terms = [{ forms: ['linen'] }, { forms: ['shirt', 'shirts'] }];
const long = { forms: ['unpronounceable'.repeat(4)] };
const time = '2026-01-01T00:00:00Z';

/** A contribution of a box with all packages. */
function named<Named extends { name: string }>(contributed: readonly Named[], name: string): Named {
  const found = contributed.find((each) => each.name === name);
  if (!found) throw new Error(`no package contributes ${name}`);
  return found;
}

const filterOf = ({ db }: Sampled): ResolvedFilter => ({
  ...named(productListFilters.of(db), 'tag'),
  lists: ['linen'],
});
const priceOf = ({ db, id }: Sampled, table: string) => {
  const measure = named(productMeasures.of(db), 'price');
  return { measure, range: rangeOf(measure, table, { values: ['EUR', id], min: 100, max: 2000 }) };
};
const stockOf = ({ db }: Sampled) => named(productMeasures.of(db), 'stock');

export const statements: StatementSamples = {
  'products.page': ({ db }) => store.products.page(db, { limit: 20, updatedAfter: time }),
  'productVariants.page': ({ db }) => store.productVariants.page(db, { limit: 20, skus: ['A-1'] }),
  countProducts: ({ db }) => store.countProducts(db),
  'filters.entriesOf': (sampled) => countUpTo(sampled.db, entriesOf(filterOf(sampled)).ids, 100),
  'filters.findNextListed': (sampled) => findNextListed(sampled.db, filterOf(sampled), isPublished, page),
  'filters.isFirstListed': (sampled) => {
    const condition = isFirstListed(filterOf(sampled), isPublished, page);
    return listInOrder(sampled.db, { ...page, condition }, null);
  },
  'filters.isFirstListed after a place': (sampled) => {
    const condition = isFirstListed(filterOf(sampled), isPublished, { ...page, place: [time, sampled.id] });
    return listInOrder(sampled.db, { ...page, condition }, null);
  },
  'filters.listOfRange': (sampled) => {
    const { measure, range } = priceOf(sampled, 'listed');
    const list = listOfRange(measure, range);
    return listInOrder(sampled.db, { ...page, condition: allOf([isPublished, list.isListed, isAmong(list)]) }, null);
  },
  'filters.orderByMeasure': (sampled) => {
    const { measure, range } = priceOf(sampled, 'measured');
    const order = orderByMeasure(measure, 'price', range);
    return findNext(sampled.db, { ...page, order, base: isPublished, tested: always, lists: [] }, 10);
  },
  'filters.findHidden': (sampled) =>
    orderByMeasure(stockOf(sampled), 'stock', always).findHidden?.(sampled.db, sampled.id),
  'filters.findNext': (sampled) => {
    const lists = [entriesOf(filterOf(sampled))];
    return findNext(sampled.db, { ...page, base: isPublished, tested: titled(terms), lists }, 10);
  },
  'filters.listOfColumns': ({ db }) =>
    countUpTo(db, (listOfColumns({ brand: 'Acme', type: 'shirt' }) as ProductList).ids, 100),
  'lists.listInOrder': ({ db }) => listInOrder(db, { ...page, condition: isPublished }, null),
  'lists.listInOrder by title, with some fields': ({ db }) =>
    listInOrder(db, { ...page, order: sorts.title, condition: isPublished }, new Set(['id', 'title'])),
  'lists.titleIndex': ({ database }) => database.box.query(`create index on ${titleIndex.on('"de-x-icu"')}`),
  'products.isVisible': ({ db, id }) => isVisible(db, id),
  'reads.findVariantRows': ({ db, id }) => findVariantRows(db, [id], isPublished),
  'reads.findVariantRowsWithChoices': ({ db, id }) => findVariantRowsWithChoices(db, [id], isPublished),
  'reads.findPublishedProducts': ({ db, id }) => reads.findPublishedProducts(db, [id]),
  'reads.findPublishedProductId': ({ db }) => reads.findPublishedProductId(db, 'shirt'),
  'reads.findPublishedProduct': ({ db, id }) => reads.findPublishedProduct(db, id),
  'reads.findPublishedProductOfVariant': ({ db, id }) => reads.findPublishedProductOfVariant(db, id),
  'reads.findProducts': ({ db, id }) => reads.findProducts(db, [id]),
  'reads.findOptions': ({ db, id }) => reads.findOptions(db, [id]),
  'rules.filterProductsByRule': ({ db, id }) =>
    filterProductsByRule(
      db,
      {
        match: 'all',
        conditions: [
          { field: 'title', operator: 'contains', value: 'linen' },
          { field: 'sku', operator: 'starts_with', value: 'A-' },
          { field: 'option_value', operator: 'equals', value: 'blue' },
        ],
      },
      [id],
    ),
  'rules.pageByRule': ({ db }) =>
    pageByRule(
      db,
      { match: 'any', conditions: [{ field: 'title', operator: 'contains', value: 'linen' }] },
      { limit: 20 },
      isPublished,
    ),
  'schedule.setNextChange': ({ db, id }) => setNextChange(db, id),
  'search.hasWords': ({ db }) =>
    listInOrder(db, { ...page, condition: allOf([hasWords(terms, ['published']), titled(terms)]) }, null),
  'search.titled, a long word': ({ db }) => listInOrder(db, { ...page, condition: titled([long]) }, null),
  'search.findMatches': ({ db }) =>
    findMatches(db, terms, {
      ...{ listed: isPublished, tested: always, statuses: ['published'], order: sorts.newest, limit: 20 },
    }),
  'search.listSearchedTextsAfter': ({ db, id }) => progress.listSearchedTextsAfter(db, id),
  'search.findCheckTimes': ({ db }) => progress.findCheckTimes(db),
  'search.listChanged': ({ db, id }) => progress.listChanged(db, 'products', { id, changedAt: time }),
  'search.insertTitleWords': ({ db, id }) => search.insertTitleWords(db, id),
  'search.findSearchedTexts': ({ db, id }) => search.findSearchedTexts(db, id),
  'search.listSearchedTexts': ({ db, id }) => search.listSearchedTexts(db, [id]),
  'schedule.lockDueProducts': ({ db }) => lockDueProducts(db),
};
