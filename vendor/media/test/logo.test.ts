/**
 * A picture as the logo of the store.
 */
import { createTestBox, exactly, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { document, download, packages, picture, unknownId, upload } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const other = await box.openTenant();
const uploadPicture = async (tenant: Parameters<typeof upload>[0] = box) =>
  (await upload(tenant, await picture(200, 100).png().toBuffer(), 'logo.png')).body;
const set = (mediaAssetId: string | null) => box.staff.put('/admin/store/logo', { mediaAssetId });
const logo = async () => (await box.visitor().get('/store')).body.logoUrl;

t.test('a picture becomes the logo, and is not deleted until it no longer is', async (t) => {
  const { id, url } = await uploadPicture();
  t.match(await set(id), { status: 200, body: { logoUrl: url } });
  t.equal(await logo(), url);
  t.equal((await box.staff.get('/admin/store')).body.logoUrl, url);
  const file = await download(box.visitor(), `${box.url}${url}`);
  t.strictSame([file.status, file.headers.get('content-type')], [200, 'image/png']);
  const refused = await box.staff.delete(`/admin/media/${id}`);
  t.match(refused, { status: 409, body: { code: 'media_in_use', detail: /as its logo/ } });
  const external = 'https://cdn.example/logo.png';
  t.match(await box.staff.patch('/admin/store', { logoUrl: external }), { status: 200, body: { logoUrl: external } });
  t.match(await box.staff.delete(`/admin/media/${id}`), { status: 204 });
  t.match(await set(null), { status: 200, body: { logoUrl: null } });
  t.equal(await logo(), null);
});

t.test('what is not a picture of the store is refused', async (t) => {
  const pdf = (await upload(box, document)).body;
  const foreign = await uploadPicture({ ...other, url: box.url });
  for (const id of [pdf.id, foreign.id, unknownId]) {
    t.match(await set(id), { status: 400, body: { errors: exactly([{ pointer: '/mediaAssetId' }]) } });
  }
  t.equal(await logo(), null);
});

t.test('of setting and deleting at the same time, one succeeds', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { id, url } = await uploadPicture();
    const [setting, deletion] = await Promise.all([set(id), box.staff.delete(`/admin/media/${id}`)]);
    const isSet = setting.status === 200;
    t.strictSame([setting.status, deletion.status], isSet ? [200, 409] : [400, 204]);
    t.equal(await logo(), isSet ? url : null);
    await set(null);
  }
});
