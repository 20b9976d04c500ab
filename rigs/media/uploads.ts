/**
 * Uploads many large files at once, half pictures and half films: each is stored, or refused until later.
 */
import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Findings, Stage } from '../support/rig.ts';
import { isProblem, type MediaClient } from './client.ts';
import { brandBox } from './formats.ts';

const megabyte = 1024 * 1024;
/** Bytes of a film; a picture is about as large. */
const fileSize = 20 * megabyte;
/** Files that are not the same; each is uploaded several times. */
const different = 4;

async function writeFiles(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  for (let number = 0; number < different; number++) {
    const picture = join(folder, `picture-${number}.jpg`);
    // Noise cannot be compressed: a byte for each of three colours of 8 million pixels.
    const [width, height] = [3000, 2750];
    const noise = sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });
    await noise.jpeg({ quality: 98, chromaSubsampling: '4:4:4' }).toFile(picture);
    const film = join(folder, `film-${number}.mp4`);
    const start = brandBox('isom');
    const header = Buffer.from('\0\0\0\0mdat', 'latin1');
    header.writeUInt32BE(fileSize - start.length);
    await writeFile(film, Buffer.concat([start, header, randomBytes(fileSize - start.length - header.length)]));
    paths.push(picture, film);
  }
  return paths;
}

export async function uploadAtOnce(stage: Stage, client: MediaClient, count: number): Promise<Findings> {
  const paths = await writeFiles(join(stage.folder, 'files'));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const [picture = 0] = sizes;
  stage.say(`${count} uploads at once: pictures of ${(picture / megabyte).toFixed(1)} MiB, films of 20 MiB`);
  const started = performance.now();
  const responses = await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const path = paths[number % paths.length] as string;
      return client.upload(await openAsBlob(path), path.split('/').at(-1) as string).catch((error: Error) => error);
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const broken: string[] = [];
  const statuses = { stored: 0, refusedUntilLater: 0 };
  for (const response of responses) {
    if (response instanceof Error) broken.push(`an upload got no response: ${response.message}`);
    else if (response.status === 201) statuses.stored++;
    else if (isProblem(response, [429, 503])) statuses.refusedUntilLater++;
    else broken.push(`an upload got ${response.status}: ${JSON.stringify(response.body)}`);
  }
  if (statuses.stored === 0) broken.push(`of ${count} uploads at once none was stored`);
  const all = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const rate = Math.round((count * all) / megabyte / seconds);
  stage.say(`${statuses.stored} stored, ${statuses.refusedUntilLater} refused, in ${seconds.toFixed(1)} s`);
  return {
    broken,
    counts: { uploadsAtOnce: count, ...statuses, uploadSeconds: Math.round(seconds), uploadMiBPerSecond: rate },
  };
}
