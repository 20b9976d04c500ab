/**
 * Pictures of measurements, and their assets on a box.
 */
import sharp from 'sharp';
import type { LoadTenant } from '../tools/load/tenant.ts';

export interface PictureAsset {
  url: string;
  variants: { width: number; height: number; mediaType: string; url: string }[];
}

/** A JPEG picture with colours and grain, about as large as a photograph of this size. */
export function photograph(width: number, height: number): Promise<Buffer> {
  const grain = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  return sharp({ create: { width, height, channels: 3, background: 'grey', noise: grain } })
    .blur(1.2)
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** Uploads a picture as staff. @throws Error unless it becomes an asset */
export async function uploadPicture(url: string, { staffHeaders }: LoadTenant, picture: Buffer): Promise<PictureAsset> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(picture)]), 'picture.jpg');
  const response = await fetch(`${url}/admin/media`, { method: 'POST', headers: staffHeaders, body: form });
  if (response.status !== 201) throw new Error(`the upload got ${response.status}: ${await response.text()}`);
  return (await response.json()) as PictureAsset;
}

/** @throws Error unless it is 200 */
export async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url} got ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
