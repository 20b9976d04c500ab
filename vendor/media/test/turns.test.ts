/**
 * Pictures of several tenants: one with many large ones does not hold up another's.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TenantDatabase } from '@carton/runtime';
import t from 'tap';
import { cleanPicture } from '../pictures/service.ts';
import { picture } from './helpers.ts';

t.test('a tenant’s pictures do not wait for all those of another', async (t) => {
  const folder = t.testdir();
  const pixels = 50_000_000;
  await writeFile(join(folder, 'large'), await picture(7000, 7000).png().toBuffer());
  await writeFile(join(folder, 'small'), await picture(40, 30).png().toBuffer());
  const ended: string[] = [];
  const clean = async (tenantId: string, name: string, number: number) => {
    // All that it needs for a PNG.
    const db = { tenantId } as TenantDatabase;
    await cleanPicture(db, join(folder, name), join(folder, `${name}-${number}`), {
      type: 'image/png',
      pixels,
    });
    ended.push(name);
  };
  const large = Array.from({ length: 6 }, (_, number) => clean('one', 'large', number));
  await Promise.all([...large, clean('other', 'small', 0)]);
  t.not(ended.at(-1), 'small', 'the small one does not wait for the last large one');
  t.equal(ended.length, 7);
});
