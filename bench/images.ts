/**
 * Files per second of `GET /media/:id/:file` (a sized variant of about 50 KB that exists, sixteen clients), and of a plain
 * Node.js server of the same file, in alternating rounds.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from '../tools/load/load.ts';
import { type Measurement, measureAlternately } from '../tools/load/measurement.ts';
import { openTenant, startBox, startServer, withPostgres } from './box.ts';
import { download, photograph, uploadPicture } from './pictures.ts';

const clients = 16;
const rounds = 7;
const requestsPerRound = 5000;
/** Bytes. */
const fileSize = 50_000;

/** Requests a file a number of times; returns requests per second. @throws Error unless each response is 200 */
async function readFile(url: string): Promise<number> {
  const { seconds, statuses } = await load({ clients, requests: requestsPerRound, request: () => ({ url }) });
  if (statuses[200] !== requestsPerRound) throw new Error(`not every response was 200: ${JSON.stringify(statuses)}`);
  return requestsPerRound / seconds;
}

export function measure(): Promise<Measurement> {
  return withPostgres(async ({ url, folder }) => {
    const box = await startBox(url, { dataFolder: join(folder, 'data') });
    try {
      const tenant = await openTenant(box.url, 1);
      const { variants } = await uploadPicture(box.url, tenant, await photograph(2000, 1500));
      const files = await Promise.all(
        variants.map(async (variant) => ({ ...variant, bytes: await download(box.url + variant.url) })),
      );
      const distance = ({ bytes }: { bytes: Buffer }) => Math.abs(bytes.length - fileSize);
      const file = files.toSorted((one, other) => distance(one) - distance(other))[0];
      if (!file) throw new Error('the picture has no sized variants');
      const statements = await box.statementsOf(() => download(box.url + file.url));
      console.log(`${file.mediaType} of ${file.bytes.length} bytes, ${statements.length} statements per request`);
      const path = join(folder, 'file');
      await writeFile(path, file.bytes);
      const peer = await startServer('./images-peer.ts', path, file.mediaType);
      try {
        return await measureAlternately(
          'images',
          rounds,
          {
            what: `GET /media/:id/:file, ${file.bytes.length} bytes, ${clients} clients`,
            unit: 'files/s',
            measure: () => readFile(box.url + file.url),
          },
          { what: 'plain Node.js server of the file', unit: 'files/s', measure: () => readFile(`${peer.url}/file`) },
        );
      } finally {
        peer.child.kill();
      }
    } finally {
      box.stop();
    }
  });
}
