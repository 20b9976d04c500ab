/**
 * The pictures of the demo store: drawings in this folder, uploaded as staff upload photographs.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Call } from './calls.ts';

const run = promisify(execFile);
const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Uploads a drawing, unless the store has it. Returns the id of the asset. */
export async function uploadPicture(staff: Call, name: string, altText: string): Promise<string> {
  const externalId = `demo-${name}`;
  const [found] = (await staff('GET', `/admin/media?externalId=${externalId}`)).items;
  if (found) return found.id;
  // The box does not accept SVG, which can contain scripts.
  const parameters = [pathOf('render.ts'), pathOf(`pictures/${name}.svg`)];
  const { stdout } = await run(process.execPath, parameters, { encoding: 'buffer', maxBuffer: 10_000_000 });
  const form = new FormData();
  form.append('altText', altText);
  form.append('externalId', externalId);
  form.append('file', new Blob([new Uint8Array(stdout)]), `${name}.png`);
  return (await staff('POST', '/admin/media', form)).id;
}
