/**
 * What tests of media share.
 */
import type { Answer, TestTenant } from '@carton/runtime/testing';
import sharp, { type Sharp } from 'sharp';

export const packages = ['core', 'auth', 'tenant', 'media'].map((name) => `@carton/${name}`);
export const unknownId = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';

type Tenant = Pick<TestTenant, 'staff'> & { url: string };

/** Uploads a file as a browser does. */
export async function upload(
  { staff, url }: Tenant,
  content: Uint8Array,
  name = 'file.bin',
  fields: Record<string, string> = {},
): Promise<Answer> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', new Blob([new Uint8Array(content)]), name);
  const response = await fetch(`${url}/admin/media`, { method: 'POST', headers: staff.headers, body: form });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export interface Downloaded {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** Downloads a file as a visitor of a store. */
export async function download(
  { headers }: { headers: Record<string, string> },
  url: string,
  more: Record<string, string> = {},
): Promise<Downloaded> {
  const response = await fetch(url, { headers: { ...headers, ...more } });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** A picture with smooth colours: left red, right blue. */
export function picture(width: number, height: number): Sharp {
  const line = Buffer.alloc(width * 3);
  for (let x = 0; x < width; x++) line.set([255 - (255 * x) / width, 0, (255 * x) / width], x * 3);
  return sharp(Buffer.alloc(width * height * 3, line), { raw: { width, height, channels: 3 } });
}

/** A minimal MP4: a box with its brand, and one with bytes. */
export function video(size = 100_000): Buffer {
  const brand = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isomiso2', 'latin1');
  const header = Buffer.alloc(8);
  header.writeUInt32BE(size - brand.length);
  header.write('mdat', 4);
  return Buffer.concat([brand, header, Buffer.alloc(size - brand.length - 8, 'abcdefghij')]);
}

export const document = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n' +
    'trailer<</Root 1 0 R>>\n%%EOF\n',
);
