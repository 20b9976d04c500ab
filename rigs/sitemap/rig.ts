/**
 * Reads the sitemap of a store with very many products, and of one with few, from a real box: it is complete, and the
 * memory of the box does not grow with the store.
 */
import { openDatabase } from '@carton/runtime/service';
import { freePort } from '@carton/runtime/testing';
import { openTenantAt } from '../../tools/load/tenant.ts';
import { secrets, startRigBox } from '../support/box.ts';
import { peakMemoryOf, resetPeak } from '../support/memory.ts';
import { urlOfEmbedded } from '../support/postgres.ts';
import type { Rig } from '../support/rig.ts';

const fewAddresses = 1000;
/** Readings of each store. The first one fills caches; the peak is that of the others. */
const readings = 2;

type Headers = Record<string, string>;

/** Reads the sitemap with all parts. Returns the number of addresses, without holding a response in memory. */
async function countAddresses(url: string, headers: Headers): Promise<number> {
  const parts: string[] = [];
  let addresses = 0;
  const read = async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers });
    if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
    let rest = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const texts = `${rest}${chunk}`.split('</loc>');
      rest = texts.pop() as string;
      for (const text of texts) {
        const address = text.slice(text.lastIndexOf('<loc>') + '<loc>'.length);
        if (/\/sitemaps\/[^/]+\.xml$/.test(address)) parts.push(new URL(address).pathname);
        else addresses++;
      }
    }
  };
  await read('/sitemap.xml');
  for (const part of parts) await read(part);
  return addresses;
}

export const rig: Rig = {
  about:
    'Reads the sitemap of a store with very many products: it is complete, and memory does not grow with the store.',
  options: {
    addresses: { about: 'products of the large store', defaultValue: '120000', short: '60000' },
    memory: { about: 'MiB by which the peak of the large store may exceed that of the small one', defaultValue: '64' },
  },
  timeLimit: () => 600,
  async run(stage) {
    stage.say('starting a box');
    const box = await startRigBox(stage, { name: 'box', port: await freePort() });
    const database = openDatabase({ url: await urlOfEmbedded(box.databaseFolder) });
    stage.atEnd('the connections', () => database.close());
    const pid = await box.pid();
    const measure = async (slug: string, expected: number) => {
      const { tenantId, tenantHeaders } = await openTenantAt(box.url, { secrets, slug, products: 0, stock: 0 });
      await database.box.query(
        `insert into products (tenant_id, id, handle, title, status)
         select $1, gen_random_uuid(), 'product-' || number, 'Product', 'published'
           from generate_series(1, $2::integer) as number`,
        [tenantId, expected],
      );
      await database.box.query('analyze products');
      const found = [await countAddresses(box.url, tenantHeaders)];
      await resetPeak(pid);
      while (found.length < readings) found.push(await countAddresses(box.url, tenantHeaders));
      const peak = await peakMemoryOf(pid);
      stage.say(`${found[0]} addresses: the box used at most ${peak} MiB of memory`);
      const wrong = found.find((count) => count !== expected);
      return { peak, broken: wrong === undefined ? [] : [`${slug}: ${wrong} of ${expected} addresses were listed`] };
    };
    const addresses = stage.number('addresses');
    const small = await measure('small', fewAddresses);
    const large = await measure('large', addresses);
    const grown = large.peak - small.peak;
    const limit = stage.number('memory');
    return {
      broken: [
        ...small.broken,
        ...large.broken,
        ...(grown <= limit ? [] : [`the large store took ${grown} MiB more memory, allowed are ${limit}`]),
      ],
      counts: { addresses, peakMemoryMiBOfSmall: small.peak, peakMemoryMiBOfLarge: large.peak },
    };
  },
};
