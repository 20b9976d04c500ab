/**
 * The files that buyers of the demo store download, in the folder `files`.
 */
import { readFile } from 'node:fs/promises';
import type { Call } from './calls.ts';

/** Uploads a file for the buyers of a variant, unless it has one. Returns the id of the download. */
export async function uploadFile(staff: Call, variantId: string, name: string): Promise<string> {
  const path = `/admin/variants/${variantId}/downloads`;
  const [found] = (await staff('GET', path)).items;
  if (found) return found.id;
  const content = await readFile(new URL(`files/${name}`, import.meta.url));
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(content)]), name);
  return (await staff('POST', path, form)).id;
}
