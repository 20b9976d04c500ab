/**
 * Pictures of several tenants: one with many large ones does not hold up another's.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { packages, picture, upload } from './helpers.ts';

t.test('a tenant’s pictures do not wait for those of another', async (t) => {
  const box = await createTestBox(t, { packages });
  const other = await box.openTenant();
  const large = await picture(7000, 7000).png().toBuffer();
  const small = await picture(40, 30).png().toBuffer();
  let ended = 0;
  const uploads = [1, 2, 3].map(async () => {
    const { status } = await upload(box, large);
    ended++;
    return status;
  });
  // The first large ones are received, and decoded.
  for (let count = 1; count <= 2; count++) {
    t.equal((await upload({ ...other, url: box.url }, small)).status, 201);
    t.equal(ended, 0, 'before the large ones');
  }
  t.strictSame(await Promise.all(uploads), [201, 201, 201]);
});
