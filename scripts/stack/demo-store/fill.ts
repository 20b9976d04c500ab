/**
 * Creates what the demo store lacks, step by step, and leaves what it has. A step that was done is never repeated.
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
import { uploadFile } from './files.ts';
import { uploadPicture } from './pictures.ts';
import type { Progress } from './progress.ts';

/** Calls of the store's staff, and of anyone, and what is done. */
interface Filling {
  staff: Call;
  visitor: Call;
  progress: Progress;
  /** Whether the box has a package. */
  has(name: string): boolean;
}

/** @param packages those of the box; what others need is left out */
export async function fillTenant(
  callers: Pick<Filling, 'staff' | 'visitor' | 'progress'>,
  packages: readonly string[],
): Promise<void> {
  const filling = { ...callers, has: (name: string) => packages.some((each) => each.endsWith(`/${name}`)) };
  const { has } = filling;
  await describeStore(filling);
  if (has('region')) await createRegion(filling);
  if (has('tax')) await createTaxRates(filling);
  if (has('shipping')) await createShipping(filling);
  // A file is for sale only where its buyers can download it.
  const sold = products.filter(({ file }) => !file || has('download'));
  if (has('product')) for (const product of sold) await createProduct(filling, product);
  if (has('category')) await createCategories(filling);
  if (has('promotion')) await createPromotion(filling);
  if (has('website')) await createWebsite(filling);
  if (has('collection')) await createCollection(filling);
}

async function isEmpty(staff: Call, path: string): Promise<boolean> {
  return (await staff('GET', `${path}?limit=1`)).items.length === 0;
}

async function describeStore({ staff, progress, has }: Filling): Promise<void> {
  await progress.once('store', async () => {
    const { legalName } = await staff('GET', '/admin/store');
    if (legalName === null) await staff('PATCH', '/admin/store', store);
    return null;
  });
  if (!has('media')) return;
  await progress.once('logo', async () => {
    const { logoUrl } = await staff('GET', '/admin/store');
    if (logoUrl !== null) return null;
    const mediaAssetId = await uploadPicture(staff, 'logo', 'Demo Store');
    await staff('PUT', '/admin/store/logo', { mediaAssetId });
    return mediaAssetId;
  });
}

function createRegion({ staff, progress }: Filling): Promise<void> {
  return progress.once('region', async () =>
    (await isEmpty(staff, '/admin/regions')) ? (await staff('POST', '/admin/regions', region)).id : null,
  );
}

async function createTaxRates({ staff, progress }: Filling): Promise<void> {
  for (const rate of taxRates) {
    await progress.once(
      `tax-rate/${rate.code}`,
      async () => (await orNull(staff('POST', '/admin/tax-rates', rate), 409))?.id,
    );
  }
}

async function createShipping({ staff, progress }: Filling): Promise<void> {
  await progress.once('shipping-zone', async () => {
    const [found] = (await staff('GET', '/admin/shipping-zones?limit=1')).items;
    return (found ?? (await staff('POST', '/admin/shipping-zones', zone))).id;
  });
  for (const { amount, ...option } of shippingOptions) {
    await progress.once(`shipping-option/${option.code}`, async () => {
      const zoneId = progress.idOf('shipping-zone');
      const { items } = await staff('GET', '/admin/shipping-zones?limit=100');
      if (!items.some(({ id }: { id: string }) => id === zoneId)) return null;
      const rates = [{ currency: region.currency, amount }];
      const body = { ...option, zoneId, type: 'flat', rates };
      return (await orNull(staff('POST', '/admin/shipping-options', body), 409))?.id;
    });
  }
}

function createPromotion({ staff, progress }: Filling): Promise<void> {
  return progress.once('promotion', async () => {
    if (!(await isEmpty(staff, '/admin/promotions'))) return null;
    const { id } = await staff('POST', '/admin/promotions', promotion);
    await staff('POST', `/admin/promotions/${id}/codes`, { codes: [promotionCode] });
    return id;
  });
}

/** Creates categories with their products, unless the store has one with the handle. */
async function createCategories(
  filling: Filling,
  { below = categories, parent = null }: { below?: DemoCategory[]; parent?: string | null } = {},
): Promise<void> {
  const { staff, progress } = filling;
  for (const { products: handles, children, ...category } of below) {
    const step = `category/${category.handle}`;
    await progress.once(step, async () => {
      // Below a deleted category there is nothing to create.
      const parentId = parent === null ? null : await existing(staff, '/admin/categories', progress.idOf(parent));
      if (parent !== null && parentId === null) return null;
      const [found] = (await staff('GET', `/admin/categories?handle=${category.handle}`)).items;
      const { id } = found ?? (await staff('POST', '/admin/categories', { ...category, parentId }));
      const listed = await staff('GET', `/admin/categories/${id}/products`);
      const productIds = await productsOf(filling, handles);
      if (listed.productIds.length === 0) await staff('PUT', `/admin/categories/${id}/products`, { productIds });
      return id;
    });
    await createCategories(filling, { below: children ?? [], parent: step });
  }
}

/** The id if the owner has not deleted what has it. */
async function existing(staff: Call, path: string, id: string | null): Promise<string | null> {
  return id !== null && (await orNull(staff('GET', `${path}/${id}`))) !== null ? id : null;
}

async function productsOf({ staff, progress }: Filling, handles: readonly string[]): Promise<string[]> {
  const ids = [];
  for (const handle of handles) ids.push(await existing(staff, '/admin/products', progress.idOf(`product/${handle}`)));
  return ids.filter((id) => id !== null);
}

const pathsOfTargets: Record<string, string> = { category: '/admin/categories', page: '/admin/pages' };

/** Pages and menus. Items whose targets the store lacks are left out. */
async function createWebsite({ staff, progress }: Filling): Promise<void> {
  for (const page of pages) {
    await progress.once(`page/${page.handle}`, async () => {
      const [found] = (await staff('GET', `/admin/pages?handle=${page.handle}`)).items;
      return (found ?? (await staff('POST', '/admin/pages', { ...page, status: 'published' }))).id;
    });
  }
  for (const { items: targets, ...menu } of menus) {
    await progress.once(`menu/${menu.handle}`, async () => {
      const items = [];
      for (const target of targets) {
        const [type] = target.split('/') as [string];
        const id = await existing(staff, pathsOfTargets[type] as string, progress.idOf(target));
        if (id !== null) items.push({ target: { type, id } });
      }
      return (await orNull(staff('POST', '/admin/menus', { ...menu, items }), 409))?.id;
    });
  }
}

function createCollection(filling: Filling): Promise<void> {
  const { staff, progress } = filling;
  return progress.once('collection', async () => {
    const { products: handles, ...fields } = collection;
    const created = await orNull(staff('POST', '/admin/collections', fields), 409);
    if (!created) return null;
    const productIds = await productsOf(filling, handles);
    await staff('PUT', `/admin/collections/${created.id}/products`, { productIds });
    return created.id;
  });
}

/**
 * Creates a product with its picture, its prices and its stock, unless they exist. One that exists and is no longer
 * published is left alone: its owner wants it so.
 */
async function createProduct(
  { staff, visitor, progress, has }: Filling,
  { amount, stock, picture, file, options = [], ...product }: DemoProduct,
): Promise<void> {
  const values = options[0]?.values ?? [null];
  const variants = values.map((value) => ({
    sku: `${product.handle.toUpperCase()}${value ? `-${value}` : ''}`,
    ...(value && { options: [{ name: options[0]?.name, value }] }),
    ...(file && { requiresShipping: false }),
  }));
  await progress.once(`product/${product.handle}`, async () => {
    const body = { ...product, status: 'published', options, variants };
    const found =
      (await orNull(visitor('GET', `/products/${product.handle}`))) ??
      (await orNull(staff('POST', '/admin/products', body), 409));
    return found?.id;
  });
  const id = progress.idOf(`product/${product.handle}`);
  const found = id === null ? null : await orNull(staff('GET', `/admin/products/${id}`));
  if (found === null) return;
  if (has('media')) {
    await progress.once(`picture/${product.handle}`, async () => {
      if (found.media.length > 0) return null;
      const mediaAssetId = await uploadPicture(staff, product.handle, picture);
      await staff('PUT', `/admin/products/${id}/media`, { media: [{ mediaAssetId }] });
      return mediaAssetId;
    });
  }
  if (file && has('download')) {
    await progress.once(`download/${product.handle}`, () => uploadFile(staff, found.variants[0].id, file));
  }
  await progress.once(`offer/${product.handle}`, async () => {
    // Keeps a price that the owner has changed.
    for (const variant of found.variants)
      if (!variant.price) await offer({ staff, has }, variant.id, { amount, stock });
    return null;
  });
}

async function offer(
  { staff, has }: Pick<Filling, 'staff' | 'has'>,
  variantId: string,
  { amount, stock }: Pick<DemoProduct, 'amount' | 'stock'>,
): Promise<void> {
  if (has('inventory')) {
    const { items } = await staff('GET', `/admin/stock-items?variantId=${variantId}`);
    if (items[0].onHand === 0) {
      await staff('POST', `/admin/stock-items/${items[0].id}/adjustments`, { quantity: stock, reason: 'received' });
    }
  }
  if (has('pricing')) {
    await staff('PUT', `/admin/variants/${variantId}/prices`, { prices: [{ currency: region.currency, amount }] });
  }
}
