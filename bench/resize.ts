/**
 * Time of the first request for a sized variant of a JPEG picture of 12 megapixels, which makes it, and of sharp alone with
 * the same parameters, in alternating rounds.
 */
import { join } from 'node:path';
import sharp from 'sharp';
import { type Measurement, measureAlternately } from '../tools/load/measurement.ts';
import { openTenant, startBox, withPostgres } from './box.ts';
import { download, photograph, uploadPicture } from './pictures.ts';

const rounds = 9;
const [width, height] = [4000, 3000];
const variantName = '640.webp';

export function measure(): Promise<Measurement> {
  return withPostgres(async ({ url, folder }) => {
    const box = await startBox(url, { dataFolder: join(folder, 'data') });
    try {
      const tenant = await openTenant(box.url, 1);
      const picture = await photograph(width, height);
      // A round has an asset of its own. They are uploaded before, so that their uploads are not measured.
      const assets = await Promise.all(
        Array.from({ length: rounds + 1 }, () => uploadPicture(box.url, tenant, picture)),
      );
      const original = await download(box.url + assets[0]?.url);
      const variant = assets[0]?.variants.find((each) => each.url.endsWith(variantName));
      if (!variant) throw new Error(`the picture has no ${variantName}`);
      console.log(`${original.length} bytes, to ${variant.width} × ${variant.height} pixels in ${variant.mediaType}`);
      sharp.cache(false);
      sharp.concurrency(1);
      const timed = async (work: () => Promise<unknown>) => {
        const started = performance.now();
        await work();
        return performance.now() - started;
      };
      return await measureAlternately(
        'resize',
        rounds,
        {
          what: `the first GET of ${variantName}`,
          unit: 'ms',
          measure: (round) => timed(() => download(`${box.url}${assets[round]?.url.replace(/[^/]+$/, variantName)}`)),
        },
        {
          what: 'sharp alone',
          unit: 'ms',
          measure: () =>
            timed(() =>
              sharp(original, { animated: true })
                .resize(variant.width, variant.height, { fit: 'fill' })
                .webp({ quality: 80 })
                .toFile(join(folder, variantName)),
            ),
        },
      );
    } finally {
      box.stop();
    }
  });
}
