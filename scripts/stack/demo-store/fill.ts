/**
 * Creates what the demo store lacks, and leaves what it has.
 */
import { type Call, orNull } from './calls.ts';
import {
  categories,
  collection,
  type DemoCategory,
  type DemoProduct,
  menus,
  pages,
  products,
  promotion,
  promotionCode,
  region,
  shippingOptions,
  store,
  taxRates,
  zone,
} from './data.ts';
import { uploadPicture } from './pictures.ts';

/** Calls of the store's staff, and of anyone. */
interface Callers {
  staff: Call;
  visitor: Call;
}

/** Ids of resources by kind and handle: `product/linen-shirt`. */
type Ids = Map<string, string>;

/** @param packages those of the box; what others need is left out */
export async function fillTenant({ staff, visitor }: Callers, packages: readonly string[]): Promise<void> {
  const has = (name: string) => packages.some((each) => each.endsWith(`/${name}`));
  const ids: Ids = new Map();
  if (has('media')) await describeStore(staff);
  await createRegion(staff);
  if (has('tax')) await createTaxRates(staff);
  if (has('shipping')) await createShipping(staff);
  for (const product of products) {
    const id = await createProduct({ staff, visitor }, product);
    if (id !== null) ids.set(`product/${product.handle}`, id);
  }
  if (has('category')) await createCategories(staff, ids);
  if (has('promotion')) await createPromotion(staff);
  if (has('website')) await createWebsite(staff, ids);
  if (has('collection')) await createCollection(staff, ids);
}

async function isEmpty(staff: Call, path: string): Promise<boolean> {
  return (await staff('GET', `${path}?limit=1`)).items.length === 0;
}

async function describeStore(staff: Call): Promise<void> {
  const { legalName, logoUrl } = await staff('GET', '/admin/store');
  if (legalName === null) await staff('PATCH', '/admin/store', store);
  if (logoUrl !== null) return;
  await staff('PUT', '/admin/store/logo', { mediaAssetId: await uploadPicture(staff, 'logo', 'Demo Store') });
}

async function createRegion(staff: Call): Promise<void> {
  if (await isEmpty(staff, '/admin/regions')) await staff('POST', '/admin/regions', region);
}

async function createTaxRates(staff: Call): Promise<void> {
  for (const rate of taxRates) await orNull(staff('POST', '/admin/tax-rates', rate), 409);
}

async function createShipping(staff: Call): Promise<void> {
  const [found] = (await staff('GET', '/admin/shipping-zones?limit=1')).items;
  const { id: zoneId } = found ?? (await staff('POST', '/admin/shipping-zones', zone));
  for (const { amount, ...option } of shippingOptions) {
    const rates = [{ currency: region.currency, amount }];
    await orNull(staff('POST', '/admin/shipping-options', { ...option, zoneId, type: 'flat', rates }), 409);
  }
}

async function createPromotion(staff: Call): Promise<void> {
  if (!(await isEmpty(staff, '/admin/promotions'))) return;
  const { id } = await staff('POST', '/admin/promotions', promotion);
  await staff('POST', `/admin/promotions/${id}/codes`, { codes: [promotionCode] });
}

/** Creates categories with their products, unless the store has one with the handle. */
async function createCategories(
  staff: Call,
  ids: Ids,
  { below = categories, parentId = null }: { below?: DemoCategory[]; parentId?: string | null } = {},
): Promise<void> {
  for (const { products: handles, children, ...category } of below) {
    const [found] = (await staff('GET', `/admin/categories?handle=${category.handle}`)).items;
    const { id } = found ?? (await staff('POST', '/admin/categories', { ...category, parentId }));
    ids.set(`category/${category.handle}`, id);
    const listed = await staff('GET', `/admin/categories/${id}/products`);
    const productIds = productsOf(ids, handles);
    if (listed.productIds.length === 0) await staff('PUT', `/admin/categories/${id}/products`, { productIds });
    await createCategories(staff, ids, { below: children ?? [], parentId: id });
  }
}

function productsOf(ids: Ids, handles: readonly string[]): string[] {
  return handles.flatMap((handle) => ids.get(`product/${handle}`) ?? []);
}

/** Pages and menus. Items whose targets the store lacks are left out. */
async function createWebsite(staff: Call, ids: Ids): Promise<void> {
  for (const page of pages) {
    const [found] = (await staff('GET', `/admin/pages?handle=${page.handle}`)).items;
    const { id } = found ?? (await staff('POST', '/admin/pages', { ...page, status: 'published' }));
    ids.set(`page/${page.handle}`, id);
  }
  for (const { items: targets, ...menu } of menus) {
    const items = targets.flatMap((target) => {
      const id = ids.get(target);
      return id === undefined ? [] : [{ target: { type: target.split('/')[0], id } }];
    });
    await orNull(staff('POST', '/admin/menus', { ...menu, items }), 409);
  }
}

async function createCollection(staff: Call, ids: Ids): Promise<void> {
  const { products: handles, ...fields } = collection;
  const created = await orNull(staff('POST', '/admin/collections', fields), 409);
  if (!created) return;
  await staff('PUT', `/admin/collections/${created.id}/products`, { productIds: productsOf(ids, handles) });
}

/**
 * Creates a product with its picture, its prices and its stock, unless they exist; returns its id. Returns null for a
 * product that exists and is no longer published: its owner wants it so.
 */
async function createProduct(
  { staff, visitor }: Callers,
  { amount, stock, picture, options = [], ...product }: DemoProduct,
): Promise<string | null> {
  const values = options[0]?.values ?? [null];
  const variants = values.map((value) => ({
    sku: `${product.handle.toUpperCase()}${value ? `-${value}` : ''}`,
    ...(value && { options: [{ name: options[0]?.name, value }] }),
  }));
  const found =
    (await orNull(visitor('GET', `/products/${product.handle}`))) ??
    (await orNull(staff('POST', '/admin/products', { ...product, status: 'published', options, variants }), 409));
  if (!found) return null;
  if (found.media.length === 0) {
    const mediaAssetId = await uploadPicture(staff, product.handle, picture);
    await staff('PUT', `/admin/products/${found.id}/media`, { media: [{ mediaAssetId }] });
  }
  for (const variant of found.variants) {
    // Keeps a price that the owner has changed.
    if (variant.price) continue;
    const { items } = await staff('GET', `/admin/stock-items?variantId=${variant.id}`);
    if (items[0].onHand === 0) {
      await staff('POST', `/admin/stock-items/${items[0].id}/adjustments`, { quantity: stock, reason: 'received' });
    }
    await staff('PUT', `/admin/variants/${variant.id}/prices`, { prices: [{ currency: region.currency, amount }] });
  }
  return found.id;
}
