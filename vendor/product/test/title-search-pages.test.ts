/**
 * Pages of a title search in a large store: each match once, wherever it is in the list.
 */
import { newId } from '@carton/runtime';
import { type Caller, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { detailsOf } from '../details.ts';
import { insertProduct } from '../products/service.ts';
import { packages } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

t.test('many matches are paged, each product once, wherever they are in the list', async (t) => {
  const tenant = await box.openTenant();
  const insert = async (title: string, status: 'published' | 'draft' = 'published') => {
    const id = newId();
    const codes = { taxCategory: null, shippingProfile: null, minQuantity: 1, maxQuantity: null, quantityStep: 1 };
    const texts = {
      handle: id.slice(0, -1),
      description: '',
      ...detailsOf({}),
      ...codes,
      externalId: null,
      metadata: {},
    };
    await insertProduct(tenant.db, { id, title, status, ...texts });
    return id;
  };
  // The matches form one block that a scan from either end does not reach with a small page, nor does it reach the
  // single match beyond. Some titles only look like matches.
  const hits = [await insert('common stone')];
  for (let at = 0; at < 260; at++) await insert(`Zinc bucket ${at}`);
  for (let at = 0; at < 530; at++) {
    hits.push(await insert(`${at % 2 ? 'Maple' : 'Walnut'} common board ${at % 7}`));
    if (at % 3 === 0) await insert('Uncommon board');
    if (at % 3 === 1) await insert('Maple common board', 'draft');
  }
  for (let at = 0; at < 260; at++) await insert(`Ash plank ${at}`);
  const pages = async (caller: Caller, path: string, limit: number) => {
    const ids: string[] = [];
    let cursor = '';
    for (let page = 0; page < 200; page++) {
      const { status, body } = await caller.get(`${path}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
      if (status !== 200) throw new Error(JSON.stringify(body));
      ids.push(...body.items.map(({ id }: { id: string }) => id));
      if (body.nextCursor === null) return ids;
      t.equal(body.items.length, limit, 'every page but the last is full');
      cursor = body.nextCursor;
    }
    throw new Error('the list does not end');
  };
  const isHit = new Set(hits);
  for (const sort of ['newest', 'oldest', 'title']) {
    for (const limit of [5, 60, 100]) {
      const path = `/products?fields=id&sort=${sort}`;
      const all = await pages(tenant.visitor(), path, 100);
      t.equal(all.length, 1 + 260 + 530 + 177 + 260);
      const expected = all.filter((id) => isHit.has(id));
      t.strictSame(await pages(tenant.visitor(), `${path}&q=COMMON`, limit), expected, `${sort} by ${limit}`);
    }
  }
  const newest = [...hits].reverse();
  t.strictSame(await pages(tenant.staff, '/admin/products?status=published&q=common', 60), newest);
  t.equal((await pages(tenant.staff, '/admin/products?q=common', 100)).length, 1 + 530 + 177);
  t.equal((await pages(tenant.staff, '/admin/products?status=draft&q=common', 100)).length, 177);
  t.strictSame(await pages(tenant.staff, '/admin/products?q=common&handle=none', 100), []);
  t.strictSame(await pages(tenant.staff, '/admin/products?q=common%20board%209', 100), []);
});
